// row_lookup.hpp: how an opened index finds rows: one implementation a format and a way of
// reading bytes.
//
// Lookups trust nothing that they read. What the head promises was checked at opening, so
// every section lies inside the file; every number that is then read from a section is
// compared with its section's size before it leads anywhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format_qbi1.hpp"
#include "format_qbi2.hpp"
#include "index_bytes.hpp"
#include "qbi2_kernels.hpp"
#include "qbix/types.hpp"

namespace qbix {

class RowLookup {
   public:
    virtual ~RowLookup() = default;

    // As in QbiIndex.
    virtual RowRange find(NameHash hash) const = 0;
    virtual void find_batch(std::span<const NameHash> hashes, std::span<RowRange> out) const = 0;
    virtual void read_voffsets(RowRange rows, std::vector<VirtualOffset>& out) const = 0;
};

// `bytes` and `path` must outlive the lookup.
std::unique_ptr<const RowLookup> make_qbi1_lookup(const IndexBytes& bytes, uint64_t n_rows);
std::unique_ptr<const RowLookup> make_qbi2_lookup(
    const IndexBytes& bytes, const std::string& path, const qbi2::Layout& layout,
    const qbi2::Kernels& kernels = qbi2::best_kernels());

}  // namespace qbix
