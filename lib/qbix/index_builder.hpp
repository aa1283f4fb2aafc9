// qbix/index_builder.hpp: build a read-name index of a BAM in one pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "qbix/export.hpp"
#include "qbix/name_index.hpp"

namespace qbix {

struct BuildProgress {
    uint64_t n_records = 0;
    uint64_t bytes_read = 0;   // compressed bytes of the BAM read so far
    uint64_t bytes_total = 0;  // size of the BAM
};

struct BuildOptions {
    std::string index_path;  // "" = default_index_path(bam, format)
    IndexFormat format = IndexFormat::kQbx;
    int radix_bits = 0;  // QBI2: 8, 12, 16, or 0 = by the number of records
    // QBX: 16, 24, 32. An absent name finds a false candidate, and its block is read for
    // nothing, about once in 3,300, 1.3 million and 430 million look-ups; 8 more bits take a
    // byte and a half a name.
    unsigned remainder_bits = 16;
    int n_threads = 1;                            // busy threads, the caller's included; >= 1
    uint64_t memory_bytes = uint64_t{512} << 20;  // bounds the buffers, not the process; >= 16 MiB
    std::string tmp_prefix;                       // of spill files; "" = the index path
    bool allow_no_eof = false;                    // index a BAM whose EOF block is missing
    // Called now and then from a worker thread (never two at once); must not throw.
    std::function<void(const BuildProgress&)> on_progress;
    // Checked now and then: true ends the build with kCancelled. May be set by a signal
    // handler.
    const std::atomic<bool>* cancel = nullptr;
};

struct BuildReport {
    std::string index_path;
    IndexFormat format = IndexFormat::kQbx;
    int radix_bits = 0;  // of a QBI2
    uint64_t n_records = 0;
    uint64_t n_unique = 0;  // distinct name hashes
    uint64_t index_bytes = 0;
    uint64_t spilled_bytes = 0;
};

// "reads.bam" -> "reads.bam.qbx", or "reads.bam.qbi" of the other formats.
QBIX_EXPORT std::string default_index_path(const std::string& bam_path,
                                           IndexFormat format = IndexFormat::kQbx);

// Builds the index of `bam_path`. The file appears under its final name whole or not at
// all; an existing file there is replaced only if it is an index (or empty). Which bytes
// are written does not depend on threads or memory. RSS stays within memory_bytes + 40 MB +
// the header. Throws Error; the first fault in file order is the one reported, whatever
// the number of threads.
QBIX_EXPORT BuildReport build_index(const std::string& bam_path, const BuildOptions& options);

// Makes the index from one of the same BAM in another format (or another radix): the same bytes
// as build_index() would make, had the BAM the modification time that `from_index` remembers.
// From a .qbi no record is read, only a few blocks; a .qbx does not know the places of records in
// their blocks, so from one to a .qbi is to build it. Throws Error like build_index() and
// check_belongs().
QBIX_EXPORT BuildReport convert_index(const std::string& from_index, const std::string& bam_path,
                                      const BuildOptions& options);

}  // namespace qbix
