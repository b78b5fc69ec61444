#include "tools/assay/curses_terminal.hpp"

#include "tools/assay/terminal_rescue.hpp"

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS // they have names such as `erase`
#include <curses.h>
#include <term.h>
#undef columns
#undef lines

namespace assay::cli {
namespace {

using report::Style;

constexpr int screen_fd = STDERR_FILENO;

// Two streams of one terminal: keys typed at another one would not be meant for this screen.
bool same_terminal(int a, int b) {
    struct stat first {};
    struct stat second {};
    return isatty(a) == 1 && isatty(b) == 1 && fstat(a, &first) == 0 && fstat(b, &second) == 0 &&
           first.st_rdev == second.st_rdev;
}

bool able() {
    const char* term = std::getenv("TERM");
    if (term == nullptr || *term == '\0' || std::strcmp(term, "dumb") == 0) return false;
    return same_terminal(STDIN_FILENO, screen_fd) && CursesTerminal::foreground() &&
           CursesTerminal::size() != CursesTerminal::Size{};
}

// Curses would catch these where nobody else does. Stopping inside a signal handler is not safe beside other threads,
// and a resize must not interrupt the system calls of workers: the size is asked for instead.
class KeepSignals {
public:
    KeepSignals() {
        for (std::size_t at = 0; at < 2; ++at) {
            struct sigaction ignore {};
            ignore.sa_handler = SIG_IGN;
            sigaction(numbers[at], &ignore, &before_[at]);
        }
    }
    ~KeepSignals() {
        for (std::size_t at = 0; at < 2; ++at)
            sigaction(numbers[at], &before_[at], nullptr);
    }
    KeepSignals(const KeepSignals&) = delete;
    KeepSignals& operator=(const KeepSignals&) = delete;

private:
    static constexpr int numbers[2] = {SIGTSTP, SIGWINCH};
    struct sigaction before_[2]{};
};

// Without the "$<5>" that asks for a pause.
std::string capability(const char* name) {
    const char* value = tigetstr(name);
    if (value == nullptr || value == reinterpret_cast<const char*>(-1)) return "";
    std::string text(value);
    for (std::size_t at = text.find("$<"); at != std::string::npos; at = text.find("$<", at)) {
        const std::size_t end = text.find('>', at);
        if (end == std::string::npos) break;
        text.erase(at, end - at + 1);
    }
    return text;
}

constexpr short pair_of(Style style) { return static_cast<short>(1 + static_cast<int>(style)); }

struct Paint {
    Style style;
    short colour;      // of the basic eight; -1: the terminal's own
    attr_t attributes; // also what is left without colours
};
constexpr Paint paints[] = {
    {Style::plain, -1, A_NORMAL},
    {Style::faint, -1, A_DIM},
    {Style::strong, -1, A_BOLD},
    {Style::title, COLOR_CYAN, A_BOLD},
    {Style::rate, COLOR_GREEN, A_NORMAL},
    {Style::latency, COLOR_CYAN, A_NORMAL},
    {Style::load, COLOR_BLUE, A_NORMAL},
    {Style::softirq, COLOR_MAGENTA, A_NORMAL},
    {Style::suspect, COLOR_YELLOW, A_BOLD},
    {Style::invalid, COLOR_RED, A_BOLD},
};

} // namespace

struct CursesTerminal::Impl {
    SCREEN* screen = nullptr;
    bool colours = false;
};

CursesTerminal::Size CursesTerminal::size() {
    winsize size{};
    if (ioctl(screen_fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {size.ws_col, size.ws_row};
}

bool CursesTerminal::foreground() { return tcgetpgrp(screen_fd) == getpgrp(); }

std::unique_ptr<CursesTerminal> CursesTerminal::enter() {
    if (!able() || !terminal_rescue::remember(screen_fd)) return nullptr;
    std::setlocale(LC_CTYPE, ""); // curses asks it how wide a character is; numbers stay as they are
    std::unique_ptr<CursesTerminal> terminal(new CursesTerminal);
    terminal->impl_ = std::make_unique<Impl>();
    terminal->utf8_ = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    {
        const KeepSignals keep;
        terminal->impl_->screen = newterm(nullptr, stderr, stdin);
    }
    if (terminal->impl_->screen == nullptr) return nullptr;
    const std::string out = capability("rmcup");
    terminal->leaving_ = capability("sgr0") + capability("cnorm") + capability("rmkx") + (out.empty() ? "\r\n" : out);
    terminal->inside_ = true;
    terminal_rescue::arm(terminal->leaving_);
    set_term(terminal->impl_->screen);
    cbreak();
    noecho();
    curs_set(0);
    nodelay(stdscr, true);
    leaveok(stdscr, true);
    terminal->take_over_keys();
    terminal->prepare_styles();
    return terminal;
}

// Ctrl-Z arrives as a key, so that the screen can be left before the process stops.
void CursesTerminal::take_over_keys() {
    termios modes{};
    if (tcgetattr(screen_fd, &modes) != 0) return;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(screen_fd, TCSANOW, &modes);
    def_prog_mode();
}

void CursesTerminal::prepare_styles() {
    impl_->colours = std::getenv("NO_COLOR") == nullptr && has_colors() && start_color() == OK;
    if (!impl_->colours) return;
    const bool own = use_default_colors() == OK;
    for (const Paint& paint : paints)
        init_pair(pair_of(paint.style),
                  paint.colour >= 0 ? paint.colour
                  : own             ? short{-1}
                                    : short{COLOR_WHITE},
                  own ? short{-1} : short{COLOR_BLACK});
}

CursesTerminal::~CursesTerminal() {
    if (impl_->screen == nullptr) return;
    leave();
    delscreen(impl_->screen);
}

void CursesTerminal::leave() {
    if (!inside_) return;
    inside_ = false;
    endwin();
    terminal_rescue::disarm();
}

void CursesTerminal::reenter() {
    if (inside_) return;
    inside_ = true;
    terminal_rescue::arm(leaving_);
    forget();
}

int CursesTerminal::key() {
    const int key = inside_ ? getch() : ERR;
    return key == ERR ? -1 : key;
}

// Stops at the last column whatever width the C library gives a character, because curses would go on in the next row.
void CursesTerminal::put(int row, const report::Line& line, int columns) {
    wmove(stdscr, row, 0);
    int used = 0;
    for (const report::Segment& segment : line) {
        const Paint& paint = paints[static_cast<std::size_t>(segment.style)];
        wattr_set(stdscr, paint.attributes, impl_->colours ? pair_of(paint.style) : short{0}, nullptr);
        std::mbstate_t state{};
        const char* at = segment.text.data();
        const char* end = at + segment.text.size();
        while (at < end) {
            wchar_t character = L'?';
            const std::size_t bytes = std::mbrtowc(&character, at, static_cast<std::size_t>(end - at), &state);
            const bool good = bytes > 0 && bytes <= static_cast<std::size_t>(end - at);
            if (!good) state = {};
            at += good ? bytes : 1;
            int width = good ? wcwidth(character) : 1;
            if (width < 0) {
                character = L'?';
                width = 1;
            }
            if (used + width > columns) return;
            used += width;
            waddnwstr(stdscr, &character, 1);
        }
    }
}

void CursesTerminal::paint(const std::vector<report::Line>& lines, Size size) {
    if (!inside_) return;
    if (size != painted_) {
        resizeterm(size.rows, size.columns);
        clearok(stdscr, true);
        painted_ = size;
    }
    werase(stdscr);
    for (std::size_t row = 0; row < lines.size(); ++row)
        put(static_cast<int>(row), lines[row], size.columns);
    wrefresh(stdscr);
}

} // namespace assay::cli
