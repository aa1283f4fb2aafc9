#include "bgzfw/producer.hpp"

#include "bgzfw/error.hpp"
#include "record_packer.hpp"

namespace bgzfw {

namespace {

RecordPacker& usable(const std::unique_ptr<RecordPacker>& packer) {
    if (packer) return *packer;
    throw Error(ErrorCode::kUsage, "the producer is finished");
}

}  // namespace

Producer::Producer(std::unique_ptr<RecordPacker> packer) noexcept : packer_(std::move(packer)) {}
Producer::Producer(Producer&&) noexcept = default;
Producer::~Producer() = default;

void Producer::write_encoded(std::span<const uint8_t> records) {
    usable(packer_).write_encoded(records);
}

void Producer::write_sam(std::string_view lines) { usable(packer_).write_sam(lines); }

uint8_t* Producer::begin_record(size_t size_bytes) {
    return usable(packer_).begin_record(size_bytes);
}

void Producer::end_record() { usable(packer_).end_record(); }

void Producer::submit(uint64_t batch_number) { usable(packer_).submit(batch_number); }

void Producer::submit(std::span<const uint8_t> records, uint64_t batch_number) {
    usable(packer_).submit(records, batch_number);
}

void Producer::finish() {
    usable(packer_).finish();
    packer_.reset();
}

}  // namespace bgzfw
