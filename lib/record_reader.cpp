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

    // Makes the block current in which the record at `voffset` starts.
    void load(VirtualOffset voffset) {
        bool found = blocks.load(voffset.coffset());
        // A record may be said to start in an empty block: it starts in the first that is not.
        if (found && voffset.uoffset() == 0)
            while (found && blocks.data().empty()) found = blocks.load_next();
        if (!found) refuse(voffset, "the file ends before");
        if (voffset.uoffset() >= blocks.data().size()) refuse(voffset, "the block is shorter");
    }

    // Where the record after the one at `uoffset` starts, in the current block.
    uint64_t next_uoffset(VirtualOffset voffset, uint64_t uoffset) const {
        const auto data = blocks.data();
        if (data.size() - uoffset >= kBlockSizeBytes) {
            const uint64_t next = uoffset + record_size(data.data() + uoffset);
            if (next < data.size()) return next;
        }
        refuse(voffset, "fewer records start in its block");
    }

    // The place without its skip. The block has been loaded. Goes on from where the last walk
    // in the block ended, if that is before.
    VirtualOffset walk(const RecordPlace& place) {
        if (place.voffset != walked.voffset || place.n_skip < walked.n_skip) {
            walked = {place.voffset, 0};
            walked_uoffset = place.voffset.uoffset();
        }
        for (; walked.n_skip < place.n_skip; ++walked.n_skip)
            walked_uoffset = next_uoffset(place.voffset, walked_uoffset);
        return VirtualOffset::make(place.voffset.coffset(), static_cast<uint32_t>(walked_uoffset));
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
    RecordPlace walked;  // the last place, and where it turned out to be
    uint64_t walked_uoffset = 0;
    std::vector<uint8_t> joined;  // of a record that goes over blocks
};

RecordReader::RecordReader(const BamFile& bam) : state_(std::make_unique<State>(bam)) {}
RecordReader::~RecordReader() = default;
uint64_t RecordReader::blocks_read() const noexcept { return state_->blocks.blocks_read(); }

RecordView RecordReader::read_at(const RecordPlace& place) {
    State& s = *state_;
    s.load(place.voffset);
    const VirtualOffset voffset = s.walk(place);
    const auto at = s.blocks.data().subspan(voffset.uoffset());
    s.joined.clear();
    const auto head = s.bytes_from(voffset, at, kFixedBytes);
    if (!record_is_consistent(head.data())) s.refuse(voffset, "the lengths contradict each other");
    return {voffset, s.bytes_from(voffset, at, record_size(head.data()))};
}

uint32_t RecordReader::number_in_block(VirtualOffset first, VirtualOffset voffset) {
    State& s = *state_;
    s.load(first);
    uint32_t number = 0;
    for (uint64_t uoffset = first.uoffset(); uoffset != voffset.uoffset(); ++number) {
        if (uoffset > voffset.uoffset()) s.refuse(voffset, "it is inside of one");
        uoffset = s.next_uoffset(first, uoffset);
    }
    return number;
}

}  // namespace qbix
