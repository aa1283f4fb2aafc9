// Lookup in a QBI1: the rows are sorted by hash, and hashes are uniform, so interpolation
// brackets the place in a few rounds (bracket_search.hpp).
#include <algorithm>
#include <array>

#include "bracket_search.hpp"
#include "byte_source.hpp"
#include "index_errors.hpp"
#include "row_lookup.hpp"

namespace qbix {
namespace {

using qbi1::kRowBytes;

constexpr size_t kProbesInFlight = 16;
constexpr size_t kRowsAtOnce = 64;
constexpr uint64_t kMaxRun = 16;  // rows that are compared one by one

template <class Source>
class Qbi1Lookup final : public RowLookup {
   public:
    Qbi1Lookup(const IndexBytes& bytes, uint64_t n_rows) : source_(bytes), n_rows_(n_rows) {}

    RowRange find(NameHash hash) const override {
        Bracket bracket = all_rows();
        while (bracket.size() > kMaxRun) {
            const Probes probes = next_probes(bracket, hash.value);
            narrow(bracket, probes, this->hash(probes.first), this->hash(probes.second),
                   hash.value);
        }
        return rows_in_run(bracket, hash.value);
    }

    void find_batch(std::span<const NameHash> hashes, std::span<RowRange> out) const override {
        while (!hashes.empty()) {
            const size_t n = std::min(hashes.size(), kProbesInFlight);
            find_staged(hashes.first(n), out.data());
            hashes = hashes.subspan(n);
            out = out.subspan(n);
        }
    }

    void read_voffsets(RowRange rows, std::vector<VirtualOffset>& out) const override {
        uint8_t scratch[kRowsAtOnce * kRowBytes];
        while (!rows.empty()) {
            const size_t n = std::min<uint64_t>(rows.size(), kRowsAtOnce);
            const uint8_t* bytes =
                source_.view(qbi1::row_place(rows.begin), n * kRowBytes, scratch);
            for (size_t i = 0; i < n; ++i) {
                out.push_back(load_le<IndexRow>(bytes + i * kRowBytes).voffset);
            }
            rows.begin += n;
        }
    }

   private:
    uint64_t hash(uint64_t row) const noexcept(Source::kMapped) {
        return source_.u64(qbi1::row_place(row));
    }

    Bracket all_rows() const noexcept { return {0, n_rows_, 0, UINT64_MAX}; }

    // The rows of `wanted`, of which the last, if any, lies in `run`.
    RowRange rows_in_run(const Bracket& run, uint64_t wanted) const noexcept(Source::kMapped) {
        uint8_t scratch[kMaxRun * kRowBytes];
        const uint8_t* bytes =
            source_.view(qbi1::row_place(run.lo), run.size() * kRowBytes, scratch);
        uint64_t end = run.lo;
        for (uint64_t i = 0; i < run.size(); ++i) {
            end += load_le<uint64_t>(bytes + i * kRowBytes) <= wanted;
        }
        if (end == run.lo || load_le<uint64_t>(bytes + (end - 1 - run.lo) * kRowBytes) != wanted)
            return {};
        return {first_row_of(wanted, end - 1), end};
    }

    // The first of the rows of `wanted` that end with `row`: gallops back, then halves.
    uint64_t first_row_of(uint64_t wanted, uint64_t row) const noexcept(Source::kMapped) {
        uint64_t hi = row;  // has the hash
        uint64_t step = 1;
        while (hi >= step && hash(hi - step) == wanted) {
            hi -= step;
            step *= 2;
        }
        uint64_t lo = hi >= step ? hi - step + 1 : 0;  // where the first one may be
        while (lo < hi) {
            const uint64_t middle = lo + (hi - lo) / 2;
            if (hash(middle) == wanted) {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        return hi;
    }

    // All probes take a round together. REQUIRES: at most kProbesInFlight hashes.
    void find_staged(std::span<const NameHash> hashes, RowRange* out) const {
        std::array<Bracket, kProbesInFlight> brackets;
        std::array<Probes, kProbesInFlight> probes;
        std::array<size_t, kProbesInFlight> open;
        for (size_t i = 0; i < hashes.size(); ++i) brackets[i] = all_rows();
        for (;;) {
            size_t n_open = 0;
            for (size_t i = 0; i < hashes.size(); ++i) {
                if (brackets[i].size() <= kMaxRun) continue;
                probes[i] = next_probes(brackets[i], hashes[i].value);
                source_.prefetch(qbi1::row_place(probes[i].first));
                source_.prefetch(qbi1::row_place(probes[i].second));
                open[n_open++] = i;
            }
            if (n_open == 0) break;
            for (size_t o = 0; o < n_open; ++o) {
                const size_t i = open[o];
                narrow(brackets[i], probes[i], hash(probes[i].first), hash(probes[i].second),
                       hashes[i].value);
            }
        }
        for (size_t i = 0; i < hashes.size(); ++i) prefetch_run(brackets[i]);
        for (size_t i = 0; i < hashes.size(); ++i) {
            out[i] = rows_in_run(brackets[i], hashes[i].value);
        }
    }

    void prefetch_run(const Bracket& run) const noexcept {
        for (uint64_t row = run.lo; row < run.hi; row += 4) {
            source_.prefetch(qbi1::row_place(row));
        }
    }

    Source source_;
    uint64_t n_rows_;
};

}  // namespace

std::unique_ptr<const RowLookup> make_qbi1_lookup(const IndexBytes& bytes, uint64_t n_rows) {
    if (bytes.mapped() != nullptr) {
        return std::make_unique<Qbi1Lookup<MappedSource>>(bytes, n_rows);
    }
    return std::make_unique<Qbi1Lookup<PagedSource>>(bytes, n_rows);
}

}  // namespace qbix
