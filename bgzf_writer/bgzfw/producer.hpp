// bgzfw/producer.hpp: one thread's handle on a writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "bgzfw/export.hpp"

struct bam1_t;

namespace bgzfw {

class RecordPacker;

// Made by Writer::producer(). Packs records into blocks, and compresses them, on the
// thread that calls; only finished blocks meet those of other producers. One producer, one
// thread at a time; any number of producers.
//
// Order::kAsWritten: the records of one call stay together in the file, so a pair or a
// template handed over in one call is never torn apart by another thread.
// Order::kByBatch: what was written since the last submit() is the batch. A batch starts a
// block and ends one.
//
// Every call throws Error. After the first error of the writer all of them fail at once.
class BGZFW_EXPORT Producer {
   public:
    Producer(Producer&&) noexcept;
    Producer& operator=(Producer&&) = delete;
    // Without finish() before: the writer fails (kAbandoned), for records may be missing.
    ~Producer();

    // Whole encoded records, each with its block_size field. The lengths inside and the
    // reference numbers are checked.
    void write_encoded(std::span<const uint8_t> records);

    // Whole lines of SAM text (the last '\n' may be missing; no header lines).
    // Throws kUnsupported in a build without htslib.
    void write_sam(std::string_view lines);

    // Defined in bgzfw/bam1.hpp, against the htslib that the caller is compiled with.
    void write(const bam1_t& record);

    // Room for one encoded record, to be filled by the caller; end_record() checks it and
    // takes it. No other call between the two.
    uint8_t* begin_record(size_t size_bytes);
    void end_record();

    // Order::kByBatch: closes the batch and names its place. Every number exactly once
    // over all producers, with none left out; a batch may be empty. Waits while the number
    // is not the next one and the window, or the memory for it (16 MB + 1 MB a worker), is
    // used up.
    void submit(uint64_t batch_number);

    // The same for a batch at hand, without copying it where that can be avoided.
    // REQUIRES: nothing written since the last submit().
    void submit(std::span<const uint8_t> records, uint64_t batch_number);

    // Hands over what is left. The producer cannot be used afterwards.
    void finish();

   private:
    friend class Writer;
    explicit Producer(std::unique_ptr<RecordPacker> packer) noexcept;

    std::unique_ptr<RecordPacker> packer_;  // null when moved from or finished
};

}  // namespace bgzfw
