#include "thread_group.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace qbix {
namespace {

struct JoiningThreads {
    std::vector<std::thread> threads;
    ~JoiningThreads() {
        for (auto& thread : threads) thread.join();
    }
};

}  // namespace

void run_threads(size_t n_threads, const std::function<void(size_t)>& work,
                 const std::function<void()>& on_error) {
    std::mutex mutex;
    std::exception_ptr first_error;
    const auto record_error = [&] {
        const std::lock_guard lock(mutex);
        if (first_error) return;
        first_error = std::current_exception();
        on_error();
    };
    const auto guarded = [&](size_t i) {
        try {
            work(i);
        } catch (...) {
            record_error();
        }
    };
    {
        JoiningThreads joining;
        try {
            for (size_t i = 1; i < n_threads; ++i) joining.threads.emplace_back(guarded, i);
            work(0);
        } catch (...) {
            record_error();  // also when no more threads are to be had: those that run stop
        }
    }
    if (first_error) std::rethrow_exception(first_error);
}

}  // namespace qbix
