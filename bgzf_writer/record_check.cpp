#include "record_check.hpp"

#include <string>

#include "bgzfw/error.hpp"
#include "little_endian.hpp"

namespace bgzfw {

namespace {

constexpr size_t kFixedBytes = 36;  // block_size field and what precedes read_name

[[noreturn]] void refuse(const std::string& what) {
    throw Error(ErrorCode::kRecord, "malformed BAM record: " + what);
}

void check_reference(const char* field, int32_t number, uint32_t n_references) {
    if (number >= -1 && (number < 0 || static_cast<uint32_t>(number) < n_references)) return;
    refuse(std::string(field) + " is " + std::to_string(number) + ", the header has " +
           std::to_string(n_references) + " references");
}

}  // namespace

size_t checked_record_size(std::span<const uint8_t> bytes, uint32_t n_references) {
    if (bytes.size() < kFixedBytes) {
        refuse("only " + std::to_string(bytes.size()) + " bytes are left for it");
    }
    const uint8_t* p = bytes.data();
    const uint64_t size = uint64_t{load_u32(p)} + 4;
    if (size > bytes.size()) {
        refuse("block_size is " + std::to_string(size - 4) + ", but only " +
               std::to_string(bytes.size() - 4) + " bytes follow");
    }
    const uint64_t l_read_name = p[12];
    const uint64_t n_cigar_op = load_u16(p + 16);
    const uint64_t l_seq = load_u32(p + 20);
    const uint64_t needed = kFixedBytes + l_read_name + 4 * n_cigar_op + (l_seq + 1) / 2 + l_seq;
    if (needed > size) {
        refuse("its fields take " + std::to_string(needed - 4) + " bytes, block_size is " +
               std::to_string(size - 4));
    }
    if (l_read_name == 0 || p[kFixedBytes + l_read_name - 1] != 0) {
        refuse("the read name does not end in NUL");
    }
    check_reference("refID", load_i32(p + 4), n_references);
    check_reference("next_refID", load_i32(p + 24), n_references);
    return size;
}

}  // namespace bgzfw
