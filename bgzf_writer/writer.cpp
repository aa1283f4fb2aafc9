#include "bgzfw/writer.hpp"

#include "record_packer.hpp"
#include "writer_core.hpp"

namespace bgzfw {

namespace {

// Options are looked at first: a mistake there must not truncate a file.
std::unique_ptr<FdSink> open_sink(const std::string& path, const Options& options) {
    resolve_backend(options);
    return std::make_unique<FdSink>(path);
}

RecordPacker& only_if_as_written(const std::unique_ptr<RecordPacker>& own) {
    if (own) return *own;
    throw Error(ErrorCode::kUsage, "with Order::kByBatch records come through producers");
}

std::unique_ptr<RecordPacker> own_packer(const std::shared_ptr<WriterCore>& core) {
    if (core->options().order == Order::kByBatch) return nullptr;
    return std::make_unique<RecordPacker>(core, RecordPacker::Mode::kStream);
}

}  // namespace

Writer::Writer(const std::string& path, const BamHeader& header, const Options& options)
    : core_(std::make_shared<WriterCore>(open_sink(path, options), header, options)),
      own_(own_packer(core_)) {}

Writer::Writer(int fd, const std::string& name, const BamHeader& header, const Options& options)
    : core_(std::make_shared<WriterCore>(std::make_unique<FdSink>(fd, name), header, options)),
      own_(own_packer(core_)) {}

Writer::~Writer() { core_->give_up(); }

void Writer::write_encoded(std::span<const uint8_t> records) {
    only_if_as_written(own_).write_encoded(records);
}

void Writer::write_sam(std::string_view lines) { only_if_as_written(own_).write_sam(lines); }

uint8_t* Writer::begin_record(size_t size_bytes) {
    return only_if_as_written(own_).begin_record(size_bytes);
}

void Writer::end_record() { only_if_as_written(own_).end_record(); }

Producer Writer::producer() {
    const auto mode = core_->options().order == Order::kByBatch ? RecordPacker::Mode::kBatches
                                                                : RecordPacker::Mode::kKeepCalls;
    return Producer(std::make_unique<RecordPacker>(core_, mode));
}

void Writer::cancel(const std::string& reason) noexcept {
    core_->error().set(Error(ErrorCode::kAbandoned, reason));
}

void Writer::close() {
    try {
        if (own_) own_->finish();
    } catch (const Error&) {
        // It is the writer's error by now: close() cleans up and throws it.
    }
    core_->close();
}

uint64_t Writer::bytes_written() const noexcept { return core_->bytes_written(); }
uint64_t Writer::n_records() const noexcept { return core_->n_records(); }
Backend Writer::backend() const noexcept { return core_->options().backend; }
int Writer::level() const noexcept { return core_->options().level; }

}  // namespace bgzfw
