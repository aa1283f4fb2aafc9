// progress_line.hpp: one line on standard error, rewritten in place on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace qbix::cli {

class ProgressLine {
   public:
    // Shown when wanted, or when standard error is a terminal.
    explicit ProgressLine(bool is_wanted);
    ~ProgressLine() { end(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool is_wanted() const { return is_wanted_; }
    double seconds() const;  // since the start

    // True when enough time has passed to show() again; then not for a while.
    bool is_due();
    void show(const std::string& text);

    // Leaves the terminal line free for what follows.
    void end();

   private:
    using Clock = std::chrono::steady_clock;

    bool is_terminal_;
    bool is_wanted_;
    bool is_shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace qbix::cli
