// record_packer.hpp: records of one thread, collected into chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "block_encoder.hpp"
#include "chunk.hpp"

namespace bgzfw {

class SamEncoder;
class WriterCore;

// One packer, one thread. Whatever a function throws has been made the writer's error.
class RecordPacker {
   public:
    enum class Mode {
        kStream,     // chunks may end anywhere between records
        kKeepCalls,  // chunks end between calls only
        kBatches,    // a chunk is what submit() ends
    };

    RecordPacker(std::shared_ptr<WriterCore> core, Mode mode);
    ~RecordPacker();  // makes the writer fail if it was not finished

    // See producer.hpp for what these do.
    void write_encoded(std::span<const uint8_t> records);
    void write_sam(std::string_view lines);
    uint8_t* begin_record(size_t size_bytes);
    void end_record();
    void submit(uint64_t batch_number);
    void submit(std::span<const uint8_t> records, uint64_t batch_number);
    void finish();

   private:
    template <class Action>
    void guarded(Action action);
    void make_place(size_t size_bytes);
    void lay_out(std::span<const uint8_t> records);
    void add_stream(std::span<const uint8_t> records);
    void add_sam_line(std::string_view line);
    void dispatch();
    void require_batches() const;

    std::shared_ptr<WriterCore> core_;
    const Mode mode_;
    const uint32_t n_references_;
    bool finished_ = false;
    size_t begun_bytes_ = 0;  // between begin_record() and end_record()
    std::unique_ptr<Chunk> chunk_;
    std::unique_ptr<BlockEncoder> encoder_;    // made when first used
    std::unique_ptr<SamEncoder> sam_encoder_;  // likewise
};

}  // namespace bgzfw
