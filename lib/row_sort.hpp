// row_sort.hpp: sorting rows in memory, by hash, then offset.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "qbix/types.hpp"

namespace qbix {

// Sorts rows whose hashes share their top `n_common_bits` and are otherwise uniform: one
// counting pass into about n/3 bins, then insertion within each. A bin that is large all the
// same (many records of one name) is sorted by comparison.
class BinSorter {
   public:
    // Sorts `rows` into `out`. REQUIRES: equal sizes, no overlap.
    void sort(std::span<const IndexRow> rows, int n_common_bits, std::span<IndexRow> out);

   private:
    std::vector<uint32_t> bin_ends_;
};

}  // namespace qbix
