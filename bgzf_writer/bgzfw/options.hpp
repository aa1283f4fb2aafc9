// bgzfw/options.hpp: how to write.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bgzfw/export.hpp"

struct hts_tpool;

namespace bgzfw {

class CommitHook;

enum class Backend {
    kAuto,        // the fastest of this build that has the level
    kHtslib,      // htslib's bgzf and its thread pool
    kLibdeflate,  // own threads, libdeflate
    kIsal,        // own threads, ISA-L: levels 0 and 1; level 1 in half the time, + 7 % bytes
};

enum class Order {
    kAsWritten,  // the order of calls for one thread; of many producers, first come first
                 // served, each producer's own records in its own order
    kByBatch,    // producers submit batches numbered 0, 1, 2, ...; the file has that order
};

inline constexpr int kDefaultLevel = -1;

struct Options {
    Backend backend = Backend::kAuto;

    // 0 to 9 as htslib means them (0 stores; to libdeflate they are 0, 1, 2, 3, 5, 6, 7, 8,
    // 10, 12); 10 to 12 are libdeflate's own. The default is htslib's, 6; for ISA-L, 1.
    int level = kDefaultLevel;

    // Threads that compress, beside the calling ones. 0: the calling threads compress.
    // With workers, callers compress too when all workers are behind (a single one only
    // while there are more processors than workers).
    int workers = 0;

    Order order = Order::kAsWritten;

    // kByBatch: how far, in batches, a batch may be ahead of the first one not yet written.
    // The owner of that one never waits for the window.
    uint32_t window = 256;

    CommitHook* hook = nullptr;  // not owned

    // A pool to share, for the htslib backend (`workers` is then unused). Not owned.
    hts_tpool* htslib_pool = nullptr;
};

inline constexpr int kMaxWorkers = 1024;

// The backends of this build, the fastest first.
BGZFW_EXPORT std::vector<Backend> available_backends();

// "auto", "htslib", "libdeflate", "isal".
BGZFW_EXPORT std::string_view backend_name(Backend backend) noexcept;

// Throws Error kUsage for any other name.
BGZFW_EXPORT Backend parse_backend(std::string_view name);

// What kAuto is with these options in this build. Throws Error: kUsage for a level, window
// or number of workers out of range, kUnsupported for a backend that this build lacks.
BGZFW_EXPORT Backend resolve_backend(const Options& options);

}  // namespace bgzfw
