#include "record_packer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bgzfw/error.hpp"
#include "record_check.hpp"
#include "sam_encoder.hpp"
#include "writer_core.hpp"

namespace bgzfw {

namespace {

// Blocks in a chunk: enough to make handing it over cheap, few enough to stay in a cache.
constexpr size_t kChunkBlocks = 4;

}  // namespace

RecordPacker::RecordPacker(std::shared_ptr<WriterCore> core, Mode mode)
    : core_(std::move(core)),
      mode_(mode),
      n_references_(core_->header().n_references()),
      chunk_(core_->take_chunk()) {
    if (mode_ != Mode::kStream) core_->producer_opened();
}

RecordPacker::~RecordPacker() {
    if (finished_) return;
    core_->error().set(Error(ErrorCode::kAbandoned, "a producer ended without finish()"));
}

template <class Action>
void RecordPacker::guarded(Action action) {
    core_->error().rethrow_if_set();
    try {
        if (finished_) throw Error(ErrorCode::kUsage, "a record after finish() or close()");
        if (begun_bytes_ > 0) {
            throw Error(ErrorCode::kUsage, "begin_record() was not followed by end_record()");
        }
        action();
    } catch (...) {
        core_->error().set(current_error(ErrorCode::kInternal));
    }
    core_->error().rethrow_if_set();
}

void RecordPacker::dispatch() {
    if (chunk_->layout.empty()) return;
    const auto when_busy =
        mode_ == Mode::kStream ? core_->when_busy_for_stream() : WriterCore::WhenBusy::kHelp;
    core_->dispatch(std::exchange(chunk_, core_->take_chunk()), when_busy, encoder_);
}

// Sends the chunk off when `size_bytes` more, kept together, would begin one block too many.
void RecordPacker::make_place(size_t size_bytes) {
    if (mode_ == Mode::kBatches || chunk_->layout.n_closed() + 1 < kChunkBlocks) return;
    if (chunk_->layout.closes_before(size_bytes)) dispatch();
}

// Checks records and adds them to the layout; their bytes are left to the caller.
void RecordPacker::lay_out(std::span<const uint8_t> records) {
    while (!records.empty()) {
        const size_t size = checked_record_size(records, n_references_);
        prefetch_following(records.data(), size);
        chunk_->layout.add_record(size);
        records = records.subspan(size);
    }
}

void RecordPacker::add_stream(std::span<const uint8_t> records) {
    size_t n_taken = 0;  // bytes of `records` that are in chunks
    for (size_t position = 0; position < records.size();) {
        const size_t size = checked_record_size(records.subspan(position), n_references_);
        prefetch_following(records.data() + position, size);
        if (chunk_->layout.n_closed() + 1 >= kChunkBlocks && chunk_->layout.closes_before(size)) {
            chunk_->raw.append(records.subspan(n_taken, position - n_taken));
            n_taken = position;
            dispatch();
        }
        chunk_->layout.add_record(size);
        position += size;
    }
    chunk_->raw.append(records.subspan(n_taken));
}

void RecordPacker::write_encoded(std::span<const uint8_t> records) {
    guarded([&] {
        if (mode_ == Mode::kStream) {
            add_stream(records);
        } else {
            make_place(records.size());
            lay_out(records);
            chunk_->raw.append(records);
        }
    });
}

void RecordPacker::write_sam(std::string_view lines) {
    guarded([&] {
        if (!sam_encoder_) sam_encoder_ = std::make_unique<SamEncoder>(core_->sam_header());
        if (mode_ == Mode::kKeepCalls) make_place(lines.size());
        while (!lines.empty()) {
            const size_t n = std::min(lines.find('\n'), lines.size());
            add_sam_line(lines.substr(0, n));
            lines.remove_prefix(std::min(n + 1, lines.size()));
        }
    });
}

void RecordPacker::add_sam_line(std::string_view line) {
    const size_t size = sam_encoder_->parse(line);
    if (mode_ == Mode::kStream) make_place(size);
    sam_encoder_->encode(chunk_->raw.make_room(size));
    chunk_->raw.take(size);
    chunk_->layout.add_record(size);
}

uint8_t* RecordPacker::begin_record(size_t size_bytes) {
    uint8_t* room = nullptr;
    guarded([&] {
        if (size_bytes == 0) throw Error(ErrorCode::kRecord, "BAM cannot hold the record");
        make_place(size_bytes);
        room = chunk_->raw.make_room(size_bytes);
        begun_bytes_ = size_bytes;
    });
    return room;
}

void RecordPacker::end_record() {
    const size_t n_begun = std::exchange(begun_bytes_, 0);
    guarded([&] {
        const auto record = std::span(chunk_->raw.make_room(n_begun), n_begun);
        if (checked_record_size(record, n_references_) != n_begun) {
            throw Error(ErrorCode::kRecord, "the record is shorter than begin_record() was told");
        }
        chunk_->raw.take(n_begun);
        chunk_->layout.add_record(n_begun);
    });
}

void RecordPacker::require_batches() const {
    if (mode_ == Mode::kBatches) return;
    throw Error(ErrorCode::kUsage, "submit() needs Order::kByBatch");
}

void RecordPacker::submit(uint64_t batch_number) {
    guarded([&] {
        require_batches();
        auto batch = std::exchange(chunk_, core_->take_chunk());
        const auto records = batch->raw.bytes();
        core_->dispatch_batch(std::move(batch), records, batch_number, encoder_);
    });
}

void RecordPacker::submit(std::span<const uint8_t> records, uint64_t batch_number) {
    guarded([&] {
        require_batches();
        if (!chunk_->layout.empty()) {
            throw Error(ErrorCode::kUsage, "submit() of records, with others not submitted");
        }
        lay_out(records);
        auto batch = std::exchange(chunk_, core_->take_chunk());
        core_->dispatch_batch(std::move(batch), records, batch_number, encoder_);
    });
}

void RecordPacker::finish() {
    if (finished_) return;
    guarded([&] {
        if (mode_ != Mode::kBatches) {
            dispatch();
        } else if (!chunk_->layout.empty()) {
            throw Error(ErrorCode::kUsage, "finish() with records that were not submitted");
        }
        finished_ = true;
        if (mode_ != Mode::kStream) core_->producer_finished();
    });
}

}  // namespace bgzfw
