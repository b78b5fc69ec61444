// One terminal in curses' hands: entered, painted line by line, left. One thread at a time.
#pragma once

#include "core/report/segments.hpp"

#include <memory>
#include <string>
#include <vector>

namespace assay::cli {

class CursesTerminal {
public:
    struct Size {
        int columns = 0;
        int rows = 0;
        friend bool operator==(const Size&, const Size&) = default;
    };

    // stdin and stderr; null if they are no terminal that can show a screen.
    static std::unique_ptr<CursesTerminal> enter();
    ~CursesTerminal();
    CursesTerminal(const CursesTerminal&) = delete;
    CursesTerminal& operator=(const CursesTerminal&) = delete;

    [[nodiscard]] bool utf8() const { return utf8_; }
    // As the kernel says now; 0x0 where it does not know.
    [[nodiscard]] static Size size();
    // False while the shell, or another program, has the terminal: it must not be touched then.
    [[nodiscard]] static bool foreground();

    void paint(const std::vector<report::Line>& lines, Size size);
    // The next key that was pressed, without waiting; -1: none.
    int key();
    // Back to the normal screen, and in again; nothing where it is so already.
    void leave();
    void reenter();
    // What is on the screen cannot be relied on; the next paint() starts from nothing.
    void forget() { painted_ = {}; }

private:
    CursesTerminal() = default;
    void prepare_styles();
    void take_over_keys();
    void put(int row, const report::Line& line, int columns);

    struct Impl;
    std::unique_ptr<Impl> impl_; // keeps curses' names out of here
    std::string leaving_;        // what undoes the screen
    Size painted_;
    bool utf8_ = false;
    bool inside_ = false;
};

} // namespace assay::cli
