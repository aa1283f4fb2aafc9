#include "writer_core.hpp"

#include <thread>
#include <utility>

#include "bgzfw/error.hpp"
#include "block_format.hpp"
#include "build_config.hpp"

namespace bgzfw {

namespace {

constexpr uint32_t kWindowAsWritten = 256;

Options resolved(Options options) {
    options.backend = resolve_backend(options);
    if (options.level == kDefaultLevel) options.level = options.backend == Backend::kIsal ? 1 : 6;
    if (options.order == Order::kAsWritten) options.window = kWindowAsWritten;
    return options;
}

// Bytes of records that may be on their way: enough for everybody to have work while the
// sink is busy. Packed they take at most as much again.
size_t memory_for(const Options& options) {
    return (size_t{16} << 20) + (static_cast<size_t>(options.workers) << 20);
}

// Those that this process may run on, where the system tells.
int n_processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

void pack(Chunk& chunk, std::span<const uint8_t> payload, BlockEncoder& encoder) {
    for (const uint32_t n_payload : chunk.layout.sizes()) {
        uint8_t* block = chunk.packed.make_room(kMaxBlockBytes);
        const size_t size = encoder.encode(payload.first(n_payload), block);
        chunk.packed.take(size);
        chunk.packed_sizes.push_back(static_cast<uint32_t>(size));
        payload = payload.subspan(n_payload);
    }
}

}  // namespace

WriterCore::WriterCore(std::unique_ptr<FdSink> sink, const BamHeader& header,
                       const Options& options)
    : options_(resolved(options)),
      header_(header),
      sink_(std::move(sink)),
      commits_([this](std::unique_ptr<Chunk> chunk) { engine_->write(std::move(chunk)); }, error_,
               options_.window, memory_for(options_)),
      engine_(make_engine()),
      wants_packed_(engine_->wants_packed()),
      when_busy_for_stream_(options_.workers < n_processors() ? WhenBusy::kHelp : WhenBusy::kWait) {
    if (wants_packed_ && options_.workers > 0) {
        workers_ = std::make_unique<WorkerPool>(
            options_.workers, [this] { return make_encoder(); },
            [this](std::unique_ptr<Chunk> chunk, BlockEncoder* encoder) {
                run_job(std::move(chunk), encoder);
            });
    }
    write_header();
}

WriterCore::~WriterCore() { give_up(); }

std::unique_ptr<Engine> WriterCore::make_engine() {
    error_.on_set([this] { commits_.wake_all(); });  // before the engine starts threads
    const EngineContext context{*sink_, options_.hook, chunk_pool_, error_};
#if BGZFW_WITH_HTSLIB
    if (options_.backend == Backend::kHtslib) {
        return make_htslib_engine(context, options_.level, options_.workers, options_.htslib_pool);
    }
#endif
    return make_packed_engine(context);
}

// The header ends with a block, so that the first record starts one. It does not go through
// the queue, whose numbers are those of the batches.
void WriterCore::write_header() {
    auto chunk = take_chunk();
    chunk->holds = Chunk::Holds::kHeader;
    chunk->raw.append(header_.bytes());
    chunk->layout.add_record(header_.bytes().size());
    chunk->layout.close_block();
    if (wants_packed_) pack(*chunk, chunk->raw.bytes(), *make_encoder());
    engine_->write(std::move(chunk));
}

std::unique_ptr<BlockEncoder> WriterCore::make_encoder() const {
    return make_block_encoder(options_.backend, options_.level);
}

BlockEncoder& WriterCore::encoder_of(std::unique_ptr<BlockEncoder>& encoder) const {
    if (!encoder) encoder = make_encoder();
    return *encoder;
}

const SamHeader& WriterCore::sam_header() {
    std::call_once(sam_header_once_, [this] { sam_header_.emplace(header_); });
    return *sam_header_;
}

void WriterCore::dispatch(std::unique_ptr<Chunk> chunk, WhenBusy when_busy,
                          std::unique_ptr<BlockEncoder>& encoder) {
    chunk->layout.close_block();
    n_records_.fetch_add(chunk->layout.n_records(), std::memory_order_relaxed);
    commits_.admit_next(*chunk, chunk->raw.size());
    if (workers_ && when_busy == WhenBusy::kWait) {
        workers_->push(std::move(chunk));
    } else {
        const auto payload = chunk->raw.bytes();
        hand_on(std::move(chunk), payload, encoder);
    }
    error_.rethrow_if_set();
}

void WriterCore::dispatch_batch(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                                uint64_t number, std::unique_ptr<BlockEncoder>& encoder) {
    chunk->layout.close_block();
    n_records_.fetch_add(chunk->layout.n_records(), std::memory_order_relaxed);
    commits_.admit(*chunk, number, payload.size());
    hand_on(std::move(chunk), payload, encoder);
    error_.rethrow_if_set();
}

void WriterCore::hand_on(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                         std::unique_ptr<BlockEncoder>& encoder) {
    const bool hand_over = workers_ && workers_->has_room();
    const bool needs_raw = hand_over || !wants_packed_ || options_.hook != nullptr;
    if (needs_raw && payload.data() != chunk->raw.data()) {
        chunk->raw.append(payload);
        payload = chunk->raw.bytes();
    }
    if (!wants_packed_) {
        commits_.commit(std::move(chunk));
    } else if (!hand_over || !workers_->try_push(chunk)) {
        pack_and_commit(std::move(chunk), payload, encoder_of(encoder));
    }
}

void WriterCore::pack_and_commit(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                                 BlockEncoder& encoder) {
    pack(*chunk, payload, encoder);
    commits_.commit(std::move(chunk));
}

void WriterCore::run_job(std::unique_ptr<Chunk> chunk, BlockEncoder* encoder) noexcept {
    if (error_.is_set()) return;
    try {
        if (encoder == nullptr) throw std::bad_alloc();
        const auto payload = chunk->raw.bytes();
        pack_and_commit(std::move(chunk), payload, *encoder);
    } catch (...) {
        error_.set(current_error(ErrorCode::kInternal));
    }
}

void WriterCore::close() {
    if (complete_) return;
    if (!error_.is_set()) {
        try {
            finish();
            complete_ = true;
        } catch (...) {
            error_.set(current_error(ErrorCode::kInternal));
        }
    }
    give_up();
    if (!complete_) error_.rethrow_if_set();
}

void WriterCore::finish() {
    if (const int n = n_producers_; n > 0) {
        throw Error(ErrorCode::kUsage,
                    "close() before " + std::to_string(n) + " producer(s) called finish()");
    }
    std::unique_ptr<BlockEncoder> encoder;
    while (auto chunk = workers_ ? workers_->try_pop() : nullptr) {
        run_job(std::move(chunk), &encoder_of(encoder));
    }
    commits_.finish();
    engine_->finish();
    error_.rethrow_if_set();
    sink_->write(kEofBlock);
    sink_->close();
}

void WriterCore::give_up() noexcept {
    if (!engine_) return;
    // Stops whoever still calls. Nobody asks for this error when the file is complete.
    error_.set(Error(ErrorCode::kAbandoned, "\"" + sink_->name() + "\" is closed"));
    if (workers_) workers_->stop();
    commits_.wait_until_idle();
    engine_.reset();
    try {
        sink_->close();
    } catch (const Error&) {
        // The file is known to be incomplete.
    }
}

}  // namespace bgzfw
