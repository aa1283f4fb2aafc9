#include "row_sort.hpp"

#include <algorithm>
#include <bit>

namespace qbix {
namespace {

constexpr size_t kInsertionLimit = 32;

void insertion_sort(IndexRow* first, IndexRow* last) {
    for (IndexRow* i = first + 1; i < last; ++i) {
        const IndexRow row = *i;
        IndexRow* hole = i;
        for (; hole > first && row < hole[-1]; --hole) *hole = hole[-1];
        *hole = row;
    }
}

}  // namespace

void BinSorter::sort(std::span<const IndexRow> rows, int n_common_bits, std::span<IndexRow> out) {
    const size_t n = rows.size();
    const int n_bits = std::clamp<int>(std::bit_width(n / 3), 1, 22);
    const int shift = 64 - n_bits;
    const auto bin_of = [&](const IndexRow& row) {
        return static_cast<size_t>(row.hash.value << n_common_bits >> shift);
    };
    // bin_ends_[b] counts bin b, then is where it starts, and, after the pass, where it ends.
    bin_ends_.assign(size_t{1} << n_bits, 0);
    for (const IndexRow& row : rows) ++bin_ends_[bin_of(row)];
    uint32_t begin = 0;
    for (uint32_t& bin : bin_ends_) {
        const uint32_t count = bin;
        bin = begin;
        begin += count;
    }
    for (const IndexRow& row : rows) out[bin_ends_[bin_of(row)]++] = row;
    begin = 0;
    for (const uint32_t end : bin_ends_) {
        if (end - begin > kInsertionLimit)
            std::sort(out.begin() + begin, out.begin() + end);
        else if (end - begin > 1)
            insertion_sort(out.data() + begin, out.data() + end);
        begin = end;
    }
}

}  // namespace qbix
