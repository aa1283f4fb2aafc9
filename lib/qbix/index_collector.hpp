// qbix/index_collector.hpp: a read-name index of a BAM that is just being written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "qbix/export.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/types.hpp"

namespace qbix {

// Collects names and places while records are written, and makes the index once the file is
// complete: the same bytes that build_index() would make of it. For one thread at a time.
class QBIX_EXPORT IndexCollector {
   public:
    // Of the options, index_path (which must be given), format, radix_bits, remainder_bits,
    // n_threads (for sorting), memory_bytes and tmp_prefix count. Throws Error: kUsage; kOpen when
    // there is something at index_path that is no index, or nothing can be written there.
    explicit IndexCollector(const BuildOptions& options);
    ~IndexCollector();
    IndexCollector(const IndexCollector&) = delete;
    IndexCollector& operator=(const IndexCollector&) = delete;

    // REQUIRES: offsets ascend from call to call. Throws Error kIo (no room to spill).
    void add(std::string_view qname, VirtualOffset voffset);

    // The file is complete and closed: takes its size and time, and writes the index, which
    // appears whole or not at all. Throws Error like build_index(). Call it once.
    BuildReport finish(const std::string& bam_path);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace qbix
