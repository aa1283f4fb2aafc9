#include "progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace qbix::cli {

ProgressLine::ProgressLine(bool is_wanted)
    : is_terminal_(isatty(STDERR_FILENO)), is_wanted_(is_wanted || is_terminal_) {}

double ProgressLine::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool ProgressLine::is_due() {
    const auto now = Clock::now();
    if (now - last_ < (is_terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(5)))
        return false;
    last_ = now;
    return true;
}

void ProgressLine::show(const std::string& text) {
    fprintf(stderr, "%s%s%s", is_terminal_ ? "\r" : "", text.c_str(),
            is_terminal_ ? "\033[K" : "\n");
    fflush(stderr);
    is_shown_ = true;
}

void ProgressLine::end() {
    if (is_shown_ && is_terminal_) fputs("\r\033[K", stderr);
    is_shown_ = false;
}

}  // namespace qbix::cli
