#include "format_qbx_blocks.hpp"

#include "index_errors.hpp"

namespace qbix::qbx_blocks {

std::array<uint8_t, kTailBytes> encode_tail(const Tail& tail) noexcept {
    std::array<uint8_t, kTailBytes> bytes{};
    store_le<uint64_t>(&bytes[0], tail.n_blocks);
    store_le<uint64_t>(&bytes[8], tail.n_records);
    store_le<uint64_t>(&bytes[16], tail.directory_at);
    return bytes;
}

Tail decode_tail(const uint8_t* bytes, uint64_t section_bytes, const std::string& path) {
    const Tail tail{load_le<uint64_t>(bytes), load_le<uint64_t>(bytes + 8),
                    load_le<uint64_t>(bytes + 16)};
    const uint64_t directory_end = section_bytes - kTailBytes;
    if (load_le<uint64_t>(bytes + 24) != 0 || tail.directory_at > directory_end ||
        directory_end - tail.directory_at != tail.n_frames() * kFrameEntryBytes ||
        tail.n_frames() > section_bytes / kFrameEntryBytes || tail.n_blocks > tail.n_records ||
        (tail.n_blocks == 0) != (tail.n_records == 0))
        throw_bad_index(path, "the counts of its section of blocks contradict each other");
    return tail;
}

void encode_frame_entry(const Frame& frame, uint8_t* out) noexcept {
    store_le<uint64_t>(out, frame.first_coffset);
    store_le<uint64_t>(out + 8, frame.first_ordinal);
    store_le<uint64_t>(out + 16, frame.place);
    store_le<uint64_t>(out + 24, 0);
    out[24] = frame.coffset_bits;
    out[25] = frame.ordinal_bits;
    out[26] = frame.uoffset_bits;
}

void pack(std::span<const uint64_t> values, unsigned bits, std::vector<uint8_t>& out) {
    const size_t begin = out.size();
    out.resize(begin + packed_bytes(values.size(), bits) + 8);  // 8 to work in
    for (size_t i = 0; i < values.size(); ++i) {
        uint8_t* p = out.data() + begin + i * bits / 8;
        store_le<uint64_t>(p, load_le<uint64_t>(p) | values[i] << (i * bits % 8));
    }
    out.resize(out.size() - 8);
}

}  // namespace qbix::qbx_blocks
