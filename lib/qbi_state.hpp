// qbi_state.hpp: what an opened index consists of; for the files that implement its classes.
#pragma once

#include <memory>
#include <string>

#include "format_qbi2.hpp"
#include "index_bytes.hpp"
#include "qbix/qbi_index.hpp"
#include "row_lookup.hpp"

namespace qbix {

struct QbiIndex::State {
    std::string path;
    IndexBytes bytes;
    IndexFormat format = IndexFormat::kQbi2;
    BamIdentity bam;
    uint64_t n_rows = 0;
    qbi2::Layout layout;  // QBI2 only
    std::unique_ptr<const RowLookup> lookup;

    State(const std::string& index_path, IndexBytes&& opened)
        : path(index_path), bytes(std::move(opened)) {}
};

// Of a QBI2, from a row to its hash: the way back through the directories (qbi2_group.cpp).
struct GroupPlace {
    uint64_t group;
    uint64_t prefix;
};
// REQUIRES: row < n_rows. Throws Error kBadIndex, kIo.
GroupPlace group_of_row(const QbiIndex::State& index, uint64_t row);
NameHash hash_of_group(const QbiIndex::State& index, GroupPlace place);

// In qbi_validate.cpp. Throw Error kBadIndex, kIo.
void validate_qbi1(const QbiIndex::State& index);
void validate_qbi2(const QbiIndex::State& index);

}  // namespace qbix
