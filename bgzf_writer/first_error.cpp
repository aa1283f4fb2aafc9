#include "first_error.hpp"

#include <new>

namespace bgzfw {

Error current_error(ErrorCode code_of_unknown) noexcept {
    try {
        throw;
    } catch (const Error& e) {
        return e;
    } catch (const std::bad_alloc&) {
        return Error(ErrorCode::kInternal, "out of memory");
    } catch (const std::exception& e) {
        return Error(code_of_unknown, e.what());
    } catch (...) {
        return Error(code_of_unknown, "an exception of unknown type");
    }
}

void FirstError::set(const Error& error) noexcept {
    {
        std::lock_guard lock(mutex_);
        if (error_) return;
        error_ = error;
        is_set_.store(true, std::memory_order_release);
    }
    if (wake_) wake_();
}

}  // namespace bgzfw
