// qbx_names_fixtures.hpp: rows with ordinals, a section in memory and its brute-force twin.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "qbx_names.hpp"
#include "qbx_names_writer.hpp"

namespace qbx_test {

using namespace qbix;

using Bytes = std::vector<uint8_t>;
using Ordinals = std::vector<uint64_t>;

// Rows of `n` records in index order. Mates mostly lie a few records apart; some lie far
// apart, and some names have many records.
inline std::vector<IndexRow> make_rows(size_t n, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<IndexRow> rows;
    for (size_t i = 0; i < n; ++i) {
        uint64_t hash = random();
        const size_t kind = i == 0 ? 9 : random() % 10;
        if (kind < 4) hash = rows[i - 1 - random() % std::min<size_t>(i, 30)].hash.value;
        if (kind == 4) hash = rows[random() % i].hash.value;
        if (kind == 5) hash = rows[i / 2 - i / 2 % 100].hash.value;
        rows.push_back({{hash}, {i}});
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

// Row i gets the hash `hashes[i]` and the ordinal i.
inline std::vector<IndexRow> rows_of(const std::vector<uint64_t>& hashes) {
    std::vector<IndexRow> rows;
    for (size_t i = 0; i < hashes.size(); ++i) rows.push_back({{hashes[i]}, {i}});
    std::sort(rows.begin(), rows.end());
    return rows;
}

// A section, its reader, and what the reader must answer.
class Fixture {
   public:
    explicit Fixture(std::vector<IndexRow> sorted_rows, unsigned remainder_bits = 16,
                     const qbx_names::Kernels& kernels = qbx_names::best_kernels())
        : rows(std::move(sorted_rows)),
          bytes(encode_qbx_names(rows, remainder_bits)),
          section(QbxSection::of_memory(bytes)),
          names(*section, kernels) {}

    // Names that cannot be told apart stand beside each other in hash order.
    Ordinals expected(NameHash asked) const {
        const auto asked_row = std::lower_bound(rows.begin(), rows.end(), IndexRow{asked, {0}});
        auto begin = asked_row, end = asked_row;
        while (begin != rows.begin() && names.matches(asked, std::prev(begin)->hash)) --begin;
        while (end != rows.end() && names.matches(asked, end->hash)) ++end;
        Ordinals ordinals;
        for (; begin != end; ++begin) ordinals.push_back(begin->voffset.value);
        return ordinals;
    }

    // Both ways of asking, for some present and some absent names.
    void check_lookups(size_t n_queries, uint64_t seed) const {
        std::mt19937_64 random(seed);
        std::vector<NameHash> asked;
        for (size_t i = 0; i < n_queries; ++i) {
            const bool present = !rows.empty() && i % 4 != 0;
            asked.push_back(present ? rows[random() % rows.size()].hash : NameHash{random()});
            if (i % 9 == 0) asked.back().value += random() % 3 - 1;
        }
        check_lookups(asked);
    }
    void check_lookups(const std::vector<NameHash>& asked) const {
        OrdinalGroups found;
        names.find_batch(asked, found);
        BOOST_REQUIRE_EQUAL(found.begins.size(), asked.size() + 1);
        for (size_t i = 0; i < asked.size(); ++i) {
            const Ordinals wanted = expected(asked[i]);
            Ordinals one;
            names.find(asked[i], one);
            BOOST_REQUIRE(one == wanted);
            const auto of_batch = found.of(i);
            BOOST_REQUIRE(
                std::equal(of_batch.begin(), of_batch.end(), wanted.begin(), wanted.end()));
        }
    }

    std::vector<IndexRow> rows;
    Bytes bytes;
    std::unique_ptr<QbxSection> section;
    QbxNames names;
};

}  // namespace qbx_test
