// backends.cpp: which backends there are, and which one a set of options asks for.
#include "build_config.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "bgzfw/error.hpp"
#include "bgzfw/options.hpp"

namespace bgzfw {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"auto", "htslib", "libdeflate", "isal"};

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

bool is_available(Backend backend) {
    const auto all = available_backends();
    return std::find(all.begin(), all.end(), backend) != all.end();
}

std::string available_names() {
    std::string names;
    for (Backend backend : available_backends()) {
        if (!names.empty()) names += ", ";
        names += backend_name(backend);
    }
    return names;
}

bool has_level(Backend backend, int level) {
    if (level == kDefaultLevel) return true;
    switch (backend) {
        case Backend::kIsal:
            return level <= 1;
        case Backend::kHtslib:
            return level <= 9;
        default:
            return level <= 12;
    }
}

void check_ranges(const Options& options) {
    const auto refuse = [](const std::string& message) { throw Error(ErrorCode::kUsage, message); };
    if (options.level < kDefaultLevel || options.level > 12) {
        refuse("compression level " + std::to_string(options.level) + " is not within 0 to 12");
    }
    if (options.workers < 0 || options.workers > kMaxWorkers) {
        refuse(std::to_string(options.workers) + " worker threads are not within 0 to " +
               std::to_string(kMaxWorkers));
    }
    if (options.window < 1 || options.window > (1u << 20)) {
        refuse("a window of " + std::to_string(options.window) +
               " batches is not within 1 to 1048576");
    }
}

Backend choose(const Options& options) {
    if (options.htslib_pool != nullptr) return Backend::kHtslib;
    for (Backend backend : available_backends()) {
        // ISA-L trades size for speed: only who asks for level 1 has chosen that.
        if (backend == Backend::kIsal && options.level != 1) continue;
        if (has_level(backend, options.level)) return backend;
    }
    return available_backends().front();  // may be refused for its level
}

}  // namespace

std::vector<Backend> available_backends() {
    std::vector<Backend> all;
#if BGZFW_WITH_ISAL
    all.push_back(Backend::kIsal);
#endif
#if BGZFW_WITH_LIBDEFLATE
    all.push_back(Backend::kLibdeflate);
#endif
#if BGZFW_WITH_HTSLIB
    all.push_back(Backend::kHtslib);
#endif
    return all;
}

std::string_view backend_name(Backend backend) noexcept {
    return kNames[static_cast<size_t>(backend)];
}

Backend parse_backend(std::string_view name) {
    const auto* it = std::find(kNames.begin(), kNames.end(), name);
    if (it == kNames.end()) {
        throw Error(ErrorCode::kUsage,
                    quoted(name) + " is not a backend; there are auto, " + available_names());
    }
    return static_cast<Backend>(it - kNames.begin());
}

Backend resolve_backend(const Options& options) {
    check_ranges(options);
    const Backend backend = options.backend == Backend::kAuto ? choose(options) : options.backend;
    if (!is_available(backend)) {
        throw Error(ErrorCode::kUnsupported, "the backend " + quoted(backend_name(backend)) +
                                                 " is not part of this build, which has " +
                                                 available_names());
    }
    if (!has_level(backend, options.level)) {
        throw Error(ErrorCode::kUsage, "the backend " + quoted(backend_name(backend)) +
                                           " has no level " + std::to_string(options.level));
    }
    if (options.htslib_pool != nullptr && backend != Backend::kHtslib) {
        throw Error(ErrorCode::kUsage, "a shared htslib pool serves the htslib backend only");
    }
    return backend;
}

}  // namespace bgzfw
