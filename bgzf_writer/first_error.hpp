// first_error.hpp: the first error of many threads, and the end of their waiting.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "bgzfw/error.hpp"

namespace bgzfw {

// What is being handled, as an Error. REQUIRES: called from a catch block.
Error current_error(ErrorCode code_of_unknown) noexcept;

class FirstError {
   public:
    // Called once, after the first error is set, by the thread that set it.
    // REQUIRES: before any other thread uses the object.
    void on_set(std::function<void()> wake) { wake_ = std::move(wake); }

    // The first call counts.
    void set(const Error& error) noexcept;

    bool is_set() const noexcept { return is_set_.load(std::memory_order_acquire); }
    void rethrow_if_set() const {
        if (is_set()) throw *error_;
    }

   private:
    std::mutex mutex_;
    std::optional<Error> error_;  // written once, before is_set_
    std::atomic<bool> is_set_{false};
    std::function<void()> wake_;
};

}  // namespace bgzfw
