// Gives the terminal back when the process ends without leaving the screen first: a second Ctrl-C, a plugin that
// crashes, exit() from somewhere.
//
// arm() and disarm() from the thread that owns the screen; restore() from anywhere, also from a signal handler.
#pragma once

#include <string>

namespace assay::cli::terminal_rescue {

// Remembers the terminal's modes as they are now, before the screen changes them. False if they cannot be read.
bool remember(int fd);
// From now on, until disarm(), `sequence` written to the terminal and the remembered modes undo the screen. Fatal
// signals are caught meanwhile, and then do what they did before.
void arm(const std::string& sequence);
void disarm();
// Async-signal-safe; does nothing unless armed, and only once.
void restore();

} // namespace assay::cli::terminal_rescue
