#include "qbix/record_reader.hpp"

#include <algorithm>
#include <vector>

#include "bam_record.hpp"
#include "block_reader.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {

std::string_view RecordView::qname() const noexcept {
    return qname_of(record_read_name(bytes.data()), record_l_read_name(bytes.data()));
}

struct RecordReader::State {
    explicit State(const BamFile& bam) : blocks(bam.path()) {}

    [[noreturn]] void refuse(VirtualOffset voffset, const std::string& what) const {
        throw Error(ErrorCode::kForeignIndex,
                    "no record starts at virtual offset " + std::to_string(voffset.value) +
                        " of \"" + blocks.path() + "\" (" + what +
                        "): the index is of another file, or one of them is damaged");
    }

    // At least `n_wanted` bytes from `voffset` on, of the blocks read so far and, where they
    // do not suffice, the next ones. `at` is the rest of the current block.
    std::span<const uint8_t> bytes_from(VirtualOffset voffset, std::span<const uint8_t> at,
                                        uint64_t n_wanted) {
        if (joined.empty() && at.size() >= n_wanted) return at.first(n_wanted);
        if (joined.empty()) joined.assign(at.begin(), at.end());
        while (joined.size() < n_wanted) {
            if (!blocks.load_next())
                throw Error(ErrorCode::kTruncated, "the record at virtual offset " +
                                                       std::to_string(voffset.value) + " of \"" +
                                                       blocks.path() + "\" is cut short");
            const auto data = blocks.data();
            joined.insert(joined.end(), data.begin(), data.end());
        }
        return std::span<const uint8_t>(joined).first(n_wanted);
    }

    BlockReader blocks;
    std::vector<uint8_t> joined;  // of a record that goes over blocks
};

RecordReader::RecordReader(const BamFile& bam) : state_(std::make_unique<State>(bam)) {}
RecordReader::~RecordReader() = default;
uint64_t RecordReader::blocks_read() const noexcept { return state_->blocks.blocks_read(); }

RecordView RecordReader::read(VirtualOffset voffset) {
    State& s = *state_;
    bool found = s.blocks.load(voffset.coffset());
    // A record may be said to start in an empty block: it starts in the first that is not.
    if (found && voffset.uoffset() == 0)
        while (found && s.blocks.data().empty()) found = s.blocks.load_next();
    if (!found) s.refuse(voffset, "the file ends before");
    if (voffset.uoffset() >= s.blocks.data().size()) s.refuse(voffset, "the block is shorter");
    const auto at = s.blocks.data().subspan(voffset.uoffset());
    s.joined.clear();
    const auto head = s.bytes_from(voffset, at, kFixedBytes);
    if (!record_is_consistent(head.data())) s.refuse(voffset, "the lengths contradict each other");
    return {voffset, s.bytes_from(voffset, at, record_size(head.data()))};
}

}  // namespace qbix
