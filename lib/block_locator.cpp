#include "block_locator.hpp"

#include <algorithm>
#include <new>

#include "index_errors.hpp"

namespace qbix {
namespace {

using qbx_blocks::Frame;

constexpr uint64_t kMaxCoffset = (uint64_t{1} << 48) - 1;  // of a virtual offset

qbx_blocks::Tail read_tail(const QbxSection& section) {
    if (section.size_bytes() < qbx_blocks::kTailBytes)
        throw_bad_index(section.path(), "its section of blocks is too short");
    return qbx_blocks::decode_tail(
        section.view(section.size_bytes() - qbx_blocks::kTailBytes, qbx_blocks::kTailBytes),
        section.size_bytes(), section.path());
}

double per_record(const qbx_blocks::Tail& tail, uint64_t n) {
    return tail.n_records ? static_cast<double>(n) / static_cast<double>(tail.n_records) : 0;
}

// The last of n ascending keys that is not above `wanted`; 0 where there is none. Gallops from
// `guess`, then halves: O(log) from however bad a guess. REQUIRES: n > 0.
template <class Key>
uint64_t last_not_above(uint64_t n, uint64_t guess, uint64_t wanted, Key key) {
    uint64_t lo = std::min(guess, n - 1), hi, step = 1;
    if (key(lo) <= wanted) {
        while (hi = lo + step, hi < n && key(hi) <= wanted) {
            lo = hi;
            step *= 2;
        }
        hi = std::min(hi, n);
    } else {
        do {
            hi = lo;
            lo = hi > step ? hi - step : 0;
            step *= 2;
        } while (lo > 0 && key(lo) > wanted);
    }
    while (hi - lo > 1) {
        const uint64_t middle = lo + (hi - lo) / 2;
        (key(middle) <= wanted ? lo : hi) = middle;
    }
    return lo;
}

}  // namespace

struct BlockLocator::View {
    Frame frame;
    uint64_t n_blocks;
    uint64_t ordinals_end;  // of the first record of the next frame
    const uint8_t* coffsets;
    const uint8_t* ordinals;
    const uint8_t* uoffsets;

    uint64_t coffset(uint64_t i) const noexcept {
        return frame.first_coffset + qbx_blocks::packed(coffsets, i, frame.coffset_bits);
    }
    uint64_t ordinal(uint64_t i) const noexcept {
        return frame.first_ordinal + qbx_blocks::packed(ordinals, i, frame.ordinal_bits);
    }
    void prefetch(uint64_t i) const noexcept {
        __builtin_prefetch(coffsets + i * frame.coffset_bits / 8);
        __builtin_prefetch(ordinals + i * frame.ordinal_bits / 8);
        __builtin_prefetch(uoffsets + i * frame.uoffset_bits / 8);
    }
    BlockStart block(uint64_t i) const noexcept {
        return {coffset(i),
                static_cast<uint32_t>(qbx_blocks::packed(uoffsets, i, frame.uoffset_bits)),
                ordinal(i)};
    }
};

BlockLocator::BlockLocator(const QbxSection& section)
    : section_(section),
      tail_(read_tail(section)),
      frames_per_record_(per_record(tail_, tail_.n_frames())),
      blocks_per_record_(per_record(tail_, tail_.n_blocks)) {}

BlockLocator::View BlockLocator::view(uint64_t number) const {
    const uint64_t ordinals_end = number + 1 < tail_.n_frames()
                                      ? qbx_blocks::entry_first_ordinal(entry(number + 1))
                                      : tail_.n_records;
    return view(number, entry(number), ordinals_end);
}

[[gnu::always_inline]] inline BlockLocator::View BlockLocator::view(uint64_t number,
                                                                    const uint8_t* bytes,
                                                                    uint64_t ordinals_end) const {
    View view;
    view.frame = qbx_blocks::decode_frame_entry(bytes);
    const Frame& frame = view.frame;
    view.n_blocks = tail_.blocks_in(number);
    view.ordinals_end = ordinals_end;
    if (!qbx_blocks::reserved_is_zero(bytes) || frame.coffset_bits > qbx_blocks::kMaxBits ||
        frame.ordinal_bits > qbx_blocks::kMaxBits ||
        frame.uoffset_bits > qbx_blocks::kMaxUoffsetBits)
        throw_bad_index(section_.path(), "frame " + std::to_string(number) + " of its blocks");
    const uint8_t* p =
        section_.view(frame.place, qbx_blocks::frame_bytes(frame, view.n_blocks) + 8);
    view.coffsets = p;
    view.ordinals = p + qbx_blocks::packed_bytes(view.n_blocks, frame.coffset_bits);
    view.uoffsets = view.ordinals + qbx_blocks::packed_bytes(view.n_blocks, frame.ordinal_bits);
    return view;
}

BlockStart BlockLocator::block(uint64_t number) const {
    return view(number / qbx_blocks::kFrameBlocks).block(number % qbx_blocks::kFrameBlocks);
}

// ---- by ordinal ------------------------------------------------------------------------

[[gnu::noinline]] BlockLocator::View BlockLocator::search_ordinal(uint64_t guess,
                                                                  uint64_t ordinal) const {
    return view(last_not_above(tail_.n_frames(), guess, ordinal, [this](uint64_t frame) {
        return qbx_blocks::entry_first_ordinal(entry(frame));
    }));
}

// The frame with record `ordinal`. Frames hold about the same number of records, so that a guess
// is seldom off by more than one: then four comparisons without branches find it.
[[gnu::always_inline]] inline BlockLocator::View BlockLocator::view_of_ordinal(
    uint64_t ordinal) const {
    using qbx_blocks::entry_first_ordinal;
    const auto guess = static_cast<uint64_t>(static_cast<double>(ordinal) * frames_per_record_);
    if (guess >= 1 && guess + 3 < tail_.n_frames()) {
        constexpr uint64_t kBytes = qbx_blocks::kFrameEntryBytes;
        const uint8_t* window = section_.view(tail_.entry_place(guess - 1), 5 * kBytes);
        const auto starts = [window](uint64_t i) {
            return entry_first_ordinal(window + i * kBytes);
        };
        if (starts(0) <= ordinal && starts(4) > ordinal) {
            const uint64_t i =
                (starts(1) <= ordinal) + (starts(2) <= ordinal) + (starts(3) <= ordinal);
            return view(guess - 1 + i, window + i * kBytes, starts(i + 1));
        }
    }
    return search_ordinal(guess, ordinal);
}

// Blocks hold about the same number of records. REQUIRES: the frame begins at or before it.
inline uint64_t BlockLocator::guess_block(const View& view, uint64_t ordinal) const {
    const double guess =
        static_cast<double>(ordinal - view.frame.first_ordinal) * blocks_per_record_;
    return guess < static_cast<double>(view.n_blocks) ? static_cast<uint64_t>(guess)
                                                      : view.n_blocks - 1;
}

// The number in the frame of the block with record `ordinal`.
[[gnu::always_inline]] inline uint64_t BlockLocator::find_ordinal(const View& view,
                                                                  uint64_t ordinal) const {
    if (ordinal < view.frame.first_ordinal) return 0;
    const uint64_t guess = guess_block(view, ordinal);
    if (guess >= 1 && guess + 2 < view.n_blocks && view.ordinal(guess - 1) <= ordinal &&
        view.ordinal(guess + 2) > ordinal)
        return guess - 1 + (view.ordinal(guess) <= ordinal) + (view.ordinal(guess + 1) <= ordinal);
    return last_not_above(view.n_blocks, guess, ordinal,
                          [&view](uint64_t i) { return view.ordinal(i); });
}

inline RecordPlace BlockLocator::place_in(const BlockStart& block, uint64_t ordinal) const {
    const uint64_t n_skip = ordinal - block.first_ordinal;
    if (block.first_ordinal > ordinal || n_skip > UINT32_MAX || block.coffset > kMaxCoffset)
        throw_bad_index(section_.path(), "its section of blocks is out of order");
    return {VirtualOffset::make(block.coffset, block.uoffset), static_cast<uint32_t>(n_skip)};
}

BlockStart BlockLocator::block_of(uint64_t ordinal) const {
    const View frame = view_of_ordinal(ordinal);
    return frame.block(find_ordinal(frame, ordinal));
}

RecordPlace BlockLocator::place_of(uint64_t ordinal) const {
    return place_in(block_of(ordinal), ordinal);
}

// Some at a time: first their frames, whose lines are fetched, then their blocks.
void BlockLocator::places_of(std::span<const uint64_t> ordinals, std::span<RecordPlace> out) const {
    constexpr size_t kInFlight = 16;
    View views[kInFlight];
    uint8_t view_of[kInFlight];
    BlockStart last;  // the block of the last one found, whose records end before last_end
    uint64_t last_end = 0;
    while (!ordinals.empty()) {
        const size_t n = std::min(ordinals.size(), kInFlight);
        size_t n_views = 0;
        for (size_t i = 0; i < n; ++i) {
            const uint64_t ordinal = ordinals[i];
            if (n_views == 0 || ordinal >= views[n_views - 1].ordinals_end ||
                ordinal < views[n_views - 1].frame.first_ordinal) {
                const View& found = *new (&views[n_views++]) View(view_of_ordinal(ordinal));
                if (ordinal >= found.frame.first_ordinal)
                    found.prefetch(guess_block(found, ordinal));
            }
            view_of[i] = static_cast<uint8_t>(n_views - 1);
        }
        for (size_t i = 0; i < n; ++i) {
            // Often two in a row are in the same block: the mates of a pair.
            if (ordinals[i] < last.first_ordinal || ordinals[i] >= last_end) {
                const View& frame = views[view_of[i]];
                const uint64_t number = find_ordinal(frame, ordinals[i]);
                last = frame.block(number);
                last_end =
                    number + 1 < frame.n_blocks ? frame.ordinal(number + 1) : frame.ordinals_end;
            }
            out[i] = place_in(last, ordinals[i]);
        }
        ordinals = ordinals.subspan(n);
        out = out.subspan(n);
    }
}

// ---- by coffset ------------------------------------------------------------------------

BlockLocator::View BlockLocator::view_of_coffset(uint64_t coffset) const {
    return view(last_not_above(
        tail_.n_frames(), tail_.n_frames() / 2, coffset,
        [this](uint64_t frame) { return qbx_blocks::entry_first_coffset(entry(frame)); }));
}

std::optional<BlockStart> BlockLocator::find_coffset(const View& view, uint64_t coffset) const {
    const BlockStart block =
        view.block(last_not_above(view.n_blocks, view.n_blocks / 2, coffset,
                                  [&view](uint64_t i) { return view.coffset(i); }));
    return block.coffset == coffset ? std::optional(block) : std::nullopt;
}

std::optional<BlockStart> BlockLocator::block_at(uint64_t coffset) const {
    return n_blocks() == 0 ? std::nullopt : find_coffset(view_of_coffset(coffset), coffset);
}

void BlockLocator::blocks_at(std::span<const uint64_t> coffsets, std::span<BlockStart> out) const {
    View frame{};  // of the block before, if any
    for (size_t i = 0; i < coffsets.size(); ++i) {
        std::optional<BlockStart> found;
        if (frame.n_blocks != 0) found = find_coffset(frame, coffsets[i]);
        if (!found && n_blocks() != 0) {
            frame = view_of_coffset(coffsets[i]);
            found = find_coffset(frame, coffsets[i]);
        }
        if (!found)
            throw Error(ErrorCode::kForeignIndex, "\"" + section_.path() +
                                                      "\": no record starts in a block at offset " +
                                                      std::to_string(coffsets[i]));
        out[i] = *found;
    }
}

// ---- everything ------------------------------------------------------------------------

void BlockLocator::validate() const {
    const auto refuse = [this](uint64_t frame) {
        throw_bad_index(section_.path(),
                        "its blocks are out of order, in or before frame " + std::to_string(frame));
    };
    uint64_t place = 0, coffset = 0, ordinal = 0;  // of what comes next, at least
    for (uint64_t f = 0; f < tail_.n_frames(); ++f) {
        const View frame = view(f);
        if (frame.frame.place != place) refuse(f);
        place += qbx_blocks::frame_bytes(frame.frame, frame.n_blocks);
        for (uint64_t i = 0; i < frame.n_blocks; ++i) {
            const BlockStart block = frame.block(i);
            const bool is_first = f == 0 && i == 0;
            if (block.coffset < coffset || block.coffset > kMaxCoffset ||
                block.first_ordinal >= n_records() ||
                (is_first ? block.first_ordinal != 0 : block.first_ordinal < ordinal))
                refuse(f);
            coffset = block.coffset + 1;
            ordinal = block.first_ordinal + 1;
        }
    }
    if (place != tail_.directory_at) refuse(tail_.n_frames());
}

}  // namespace qbix
