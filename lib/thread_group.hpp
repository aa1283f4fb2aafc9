// thread_group.hpp: run a function on several threads; the first error wins.
#pragma once

#include <cstddef>
#include <functional>

namespace qbix {

// Calls work(0) .. work(n_threads - 1), the first on the caller's thread, and joins them
// all. When one throws, `on_error` is called once (it must make the others return soon, and
// not throw); that first exception is thrown from here.
void run_threads(size_t n_threads, const std::function<void(size_t)>& work,
                 const std::function<void()>& on_error);

}  // namespace qbix
