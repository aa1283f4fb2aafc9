// Lookup in a QBI2: radix -> suffixes -> rank -> group bits -> rows. A batch takes all its
// probes through one stage before the next one begins, and prefetches between: one wait for
// memory a stage and batch, instead of one a stage and hash.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "bracket_search.hpp"
#include "byte_source.hpp"
#include "index_errors.hpp"
#include "row_lookup.hpp"

namespace qbix {
namespace {

using qbi2::kRowsPerBlock;
using qbi2::kWordsPerBlock;

constexpr uint64_t kNone = UINT64_MAX;
constexpr size_t kProbesInFlight = 32;
constexpr size_t kOffsetsAtOnce = 64;

template <class Source>
class Qbi2Lookup final : public RowLookup {
   public:
    Qbi2Lookup(const IndexBytes& bytes, const std::string& path, const qbi2::Layout& layout,
               const qbi2::Kernels& kernels)
        : source_(bytes),
          layout_(layout),
          find_suffix_(kernels.find_suffix),
          select_pair_(kernels.select_pair),
          blocks_per_group_(static_cast<double>(layout.n_rows) / kRowsPerBlock /
                            static_cast<double>(layout.n_unique + 1)),
          path_(path) {}

    RowRange find(NameHash hash) const override {
        const uint64_t group = find_group(hash);
        return group == kNone ? RowRange{} : rows_of(group);
    }

    void find_batch(std::span<const NameHash> hashes, std::span<RowRange> out) const override {
        if constexpr (Source::kMapped) {
            while (!hashes.empty()) {
                const size_t n = std::min(hashes.size(), kProbesInFlight);
                find_staged(hashes.first(n), out.data());
                hashes = hashes.subspan(n);
                out = out.subspan(n);
            }
        } else {
            find_in_hash_order(hashes, out);
        }
    }

    void read_voffsets(RowRange rows, std::vector<VirtualOffset>& out) const override {
        uint8_t scratch[kOffsetsAtOnce * 8];
        while (!rows.empty()) {
            const size_t n = std::min<uint64_t>(rows.size(), kOffsetsAtOnce);
            const uint8_t* bytes = source_.view(layout_.offset_place(rows.begin), n * 8, scratch);
            for (size_t i = 0; i < n; ++i) out.push_back({load_le<uint64_t>(bytes + i * 8)});
            rows.begin += n;
        }
    }

   private:
    // ---- hash -> group -----------------------------------------------------------------

    uint64_t suffix(uint64_t group) const noexcept(Source::kMapped) {
        const uint64_t end = layout_.suffix_place(group) + layout_.suffix_bytes;
        uint8_t scratch[8];
        return qbi2::load_suffix_before(
            source_.view_before(end, layout_.suffix_bytes, sizeof scratch, scratch),
            layout_.suffix_bytes);
    }

    // The groups whose hashes share the prefix of `hash`.
    Bracket groups_to_search(NameHash hash) const {
        const uint64_t prefix = layout_.prefix_of(hash);
        const uint64_t begin = source_.u64(layout_.radix_place(prefix));
        const uint64_t end = source_.u64(layout_.radix_place(prefix + 1));
        if (begin > end || end > layout_.n_unique) {
            bad("radix entry " + std::to_string(prefix) + " is out of order");
        }
        return {begin, end, 0, layout_.suffix_limit() - 1};
    }

    uint64_t suffixes_end(const Bracket& run) const noexcept {
        return layout_.suffixes_at + run.hi * layout_.suffix_bytes;
    }

    // Rare steps stay out of line, so that the usual path keeps its registers.
    [[gnu::noinline]] void narrow_to_run(Bracket& bracket, uint64_t wanted) const {
        while (bracket.size() > qbi2::kMaxRun) {
            const Probes probes = next_probes(bracket, wanted);
            narrow(bracket, probes, suffix(probes.first), suffix(probes.second), wanted);
        }
    }

    // REQUIRES: at most kMaxRun groups.
    uint64_t find_in_run(const Bracket& run, uint64_t wanted) const noexcept(Source::kMapped) {
        const auto n = static_cast<unsigned>(run.size());
        if (n == 0) return kNone;
        uint8_t scratch[qbi2::kRunReachBytes];
        const uint8_t* end = source_.view_before(suffixes_end(run), n * layout_.suffix_bytes,
                                                 sizeof scratch, scratch);
        const int found = find_suffix_(end, n, layout_.suffix_bytes, wanted);
        return found < 0 ? kNone : run.lo + static_cast<uint64_t>(found);
    }

    uint64_t find_group(NameHash hash) const {
        Bracket bracket = groups_to_search(hash);
        const uint64_t wanted = layout_.suffix_of(hash);
        if (bracket.size() > qbi2::kMaxRun) narrow_to_run(bracket, wanted);
        return find_in_run(bracket, wanted);
    }

    // ---- group -> rows -----------------------------------------------------------------

    uint64_t rank(uint64_t block) const noexcept(Source::kMapped) {
        return source_.u64(layout_.rank_place(block));
    }

    uint64_t guess_block(uint64_t group) const noexcept {
        // Through int64_t: one instruction. No file has 2^63 groups.
        const double guess = static_cast<double>(static_cast<int64_t>(group)) * blocks_per_group_;
        return std::min(static_cast<uint64_t>(static_cast<int64_t>(guess)), layout_.n_blocks() - 1);
    }

    // The block in which `group` starts, if the rank table is in order: the last one that
    // begins with at most `group` groups before it.
    uint64_t find_block(uint64_t group, uint64_t guess) const noexcept(Source::kMapped) {
        return rank(guess) <= group && group < rank(guess + 1) ? guess : search_block(group, guess);
    }

    // Gallops from `guess`, then halves.
    [[gnu::noinline]] uint64_t search_block(uint64_t group, uint64_t guess) const
        noexcept(Source::kMapped) {
        uint64_t lo = guess;
        uint64_t hi = layout_.n_blocks();
        uint64_t step = 1;
        if (rank(guess) <= group) {
            while (hi - lo > step) {
                if (rank(lo + step) > group) {
                    hi = lo + step;
                    break;
                }
                lo += step;
                step *= 2;
            }
        } else {
            hi = guess;
            lo = 0;
            while (hi > step) {
                if (rank(hi - step) <= group) {
                    lo = hi - step;
                    break;
                }
                hi -= step;
                step *= 2;
            }
        }
        while (hi - lo > 1) {
            const uint64_t middle = lo + (hi - lo) / 2;
            (rank(middle) <= group ? lo : hi) = middle;
        }
        return lo;
    }

    // Where `group` and the next one start, as row numbers; the second is kNone where it
    // starts in another block.
    RowRange starts_in_block(uint64_t group, uint64_t block) const {
        const uint64_t n_before = rank(block);
        const uint64_t first_word = block * kWordsPerBlock;
        const auto n_words =
            static_cast<unsigned>(std::min<uint64_t>(kWordsPerBlock, layout_.n_words - first_word));
        uint8_t scratch[kWordsPerBlock * 8];
        const uint8_t* words = source_.view(layout_.word_place(first_word), n_words * 8, scratch);
        if (group < n_before || group - n_before >= kRowsPerBlock) bad_rank(block);
        const qbi2::BitPair bits =
            select_pair_(words, n_words, static_cast<unsigned>(group - n_before));
        if (bits.first < 0) bad_rank(block);
        const uint64_t first_row = block * kRowsPerBlock;
        return {first_row + static_cast<uint64_t>(bits.first),
                bits.second < 0 ? kNone : first_row + static_cast<uint64_t>(bits.second)};
    }

    // Rows of a group whose block is known.
    RowRange rows_in_block(uint64_t group, uint64_t block) const {
        RowRange rows = starts_in_block(group, block);
        if (rows.end == kNone) {
            const uint64_t next = std::min(block + 1, layout_.n_blocks() - 1);
            rows.end = starts_in_block(group + 1, find_block(group + 1, next)).begin;
        }
        if (rows.begin >= rows.end || rows.end > layout_.n_rows) bad_rank(block);
        return rows;
    }

    RowRange rows_of(uint64_t group) const {
        return rows_in_block(group, find_block(group, guess_block(group)));
    }

    // ---- batches -----------------------------------------------------------------------

    struct Probe {
        Bracket bracket;
        uint64_t group;
        uint64_t block;
        size_t index;  // in the batch
    };

    // REQUIRES: at most kProbesInFlight hashes.
    void find_staged(std::span<const NameHash> hashes, RowRange* out) const {
        std::array<Probe, kProbesInFlight> probes;
        for (const NameHash hash : hashes) {
            source_.prefetch(layout_.radix_place(layout_.prefix_of(hash)));
        }
        bool long_ranges = false;
        for (size_t i = 0; i < hashes.size(); ++i) {
            probes[i].bracket = groups_to_search(hashes[i]);
            long_ranges |= probes[i].bracket.size() > qbi2::kMaxRun;
            prefetch_run(probes[i].bracket);
        }
        if (long_ranges) narrow_staged(hashes, probes);
        size_t n_found = 0;
        for (size_t i = 0; i < hashes.size(); ++i) {
            const uint64_t group = find_in_run(probes[i].bracket, layout_.suffix_of(hashes[i]));
            out[i] = {};
            if (group == kNone) continue;
            Probe& found = probes[n_found++];
            found.index = i;
            found.group = group;
            found.block = guess_block(group);
            source_.prefetch(layout_.rank_place(found.block));
        }
        finish_staged({probes.data(), n_found}, out);
    }

    void finish_staged(std::span<Probe> found, RowRange* out) const {
        for (Probe& probe : found) {
            probe.block = find_block(probe.group, probe.block);
            const uint64_t place = layout_.word_place(probe.block * kWordsPerBlock);
            source_.prefetch(place);
            source_.prefetch(std::min(place + 56, layout_.rank_at - 8));
        }
        for (const Probe& probe : found) {
            const RowRange rows = rows_in_block(probe.group, probe.block);
            out[probe.index] = rows;
            source_.prefetch(layout_.offset_place(rows.begin));
        }
    }

    // The bytes that find_in_run() will read.
    void prefetch_run(const Bracket& run) const noexcept {
        if (run.size() > qbi2::kMaxRun) return;
        const uint64_t end = suffixes_end(run);
        source_.prefetch(end - 1);
        source_.prefetch(end - 64);
        source_.prefetch(end - qbi2::kRunReachBytes);
    }

    // All long ranges take a round together.
    void narrow_staged(std::span<const NameHash> hashes,
                       std::array<Probe, kProbesInFlight>& probes) const {
        struct Round {
            Probes probes;
            size_t index;
        };
        std::array<Round, kProbesInFlight> rounds;
        for (;;) {
            size_t n_open = 0;
            for (size_t i = 0; i < hashes.size(); ++i) {
                if (probes[i].bracket.size() <= qbi2::kMaxRun) continue;
                const Probes next = next_probes(probes[i].bracket, layout_.suffix_of(hashes[i]));
                source_.prefetch(layout_.suffix_place(next.first));
                source_.prefetch(layout_.suffix_place(next.second));
                rounds[n_open++] = {next, i};
            }
            if (n_open == 0) return;
            for (size_t r = 0; r < n_open; ++r) {
                const auto [next, i] = rounds[r];
                narrow(probes[i].bracket, next, suffix(next.first), suffix(next.second),
                       layout_.suffix_of(hashes[i]));
                prefetch_run(probes[i].bracket);
            }
        }
    }

    // Remote: neighbours in hash order share pages.
    void find_in_hash_order(std::span<const NameHash> hashes, std::span<RowRange> out) const {
        std::vector<size_t> order(hashes.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(),
                  [&](size_t a, size_t b) { return hashes[a] < hashes[b]; });
        for (const size_t i : order) out[i] = find(hashes[i]);
    }

    [[noreturn, gnu::cold]] void bad(const std::string& why) const { throw_bad_index(path_, why); }
    [[noreturn, gnu::cold]] void bad_rank(uint64_t block) const {
        bad("rank and group bits disagree in block " + std::to_string(block));
    }

    Source source_;
    qbi2::Layout layout_;
    decltype(qbi2::Kernels::find_suffix) find_suffix_;
    decltype(qbi2::Kernels::select_pair) select_pair_;
    double blocks_per_group_;
    const std::string& path_;
};

}  // namespace

std::unique_ptr<const RowLookup> make_qbi2_lookup(const IndexBytes& bytes, const std::string& path,
                                                  const qbi2::Layout& layout,
                                                  const qbi2::Kernels& kernels) {
    if (bytes.mapped() != nullptr) {
        return std::make_unique<Qbi2Lookup<MappedSource>>(bytes, path, layout, kernels);
    }
    return std::make_unique<Qbi2Lookup<PagedSource>>(bytes, path, layout, kernels);
}

}  // namespace qbix
