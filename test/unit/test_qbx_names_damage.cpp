// Damaged and hostile names sections, without checksums to catch them: an Error, or wrong
// candidates that are records of the file; never a crash or an endless loop.
#include <boost/test/unit_test.hpp>

#include "qbix/error.hpp"
#include "qbx_names_fixtures.hpp"

using namespace qbx_test;

namespace {

// Every way of reading; returns whether validation found something wrong.
bool survives(const Bytes& bytes, const std::vector<NameHash>& asked) {
    const auto section = QbxSection::of_memory(bytes);
    try {
        const QbxNames names(*section);
        for (const NameHash hash : asked) {
            Ordinals found;
            try {
                names.find(hash, found);
            } catch (const Error& error) {
                BOOST_REQUIRE(error.code() == ErrorCode::kBadIndex);
            }
            const bool inside = std::all_of(found.begin(), found.end(),
                                            [&](uint64_t o) { return o < names.n_records(); });
            if (!inside) BOOST_FAIL("an ordinal that no record has");
        }
        try {
            OrdinalGroups found;
            names.find_batch(asked, found);
        } catch (const Error& error) {
            BOOST_REQUIRE(error.code() == ErrorCode::kBadIndex);
        }
        names.validate();
    } catch (const Error& error) {
        BOOST_REQUIRE(error.code() == ErrorCode::kBadIndex || error.code() == ErrorCode::kNotIndex);
        return true;
    }
    return false;
}

std::vector<NameHash> some_hashes(const std::vector<IndexRow>& rows, size_t n) {
    std::mt19937_64 random(1);
    std::vector<NameHash> hashes;
    for (size_t i = 0; i < n; ++i) hashes.push_back(rows[random() % rows.size()].hash);
    hashes.push_back({random()});
    return hashes;
}

// Long groups, wide pairs, an overflowing line.
std::vector<IndexRow> rows_with_everything() {
    std::vector<IndexRow> rows = make_rows(400, 2);
    for (uint64_t i = 0; i < 40; ++i) rows.push_back({{(uint64_t{1} << 60) + i * 64}, {400 + i}});
    std::sort(rows.begin(), rows.end());
    return rows;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_qbx_names_damage)

BOOST_AUTO_TEST_CASE(every_byte_changed) {
    const std::vector<IndexRow> rows = rows_with_everything();
    const std::vector<NameHash> asked = some_hashes(rows, 12);
    for (const unsigned width : {16, 24, 32}) {
        Bytes bytes = encode_qbx_names(rows, width);
        BOOST_REQUIRE(!survives(bytes, asked));
        size_t n_noticed = 0;
        for (size_t at = 0; at < bytes.size(); ++at) {
            const auto flip = static_cast<uint8_t>(width == 16 ? 0x01 : width == 24 ? 0x80 : 0xff);
            bytes[at] ^= flip;
            n_noticed += survives(bytes, asked);
            bytes[at] ^= flip;
        }
        // Not noticed: another remainder or ordinal that fits as well. Checksums see those.
        BOOST_TEST(n_noticed > bytes.size() / 3);
    }
}

BOOST_AUTO_TEST_CASE(every_length) {
    const std::vector<IndexRow> rows = rows_with_everything();
    const Bytes bytes = encode_qbx_names(rows);
    for (size_t n = 0; n < bytes.size(); ++n) {
        BOOST_REQUIRE(survives(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n)),
                               {rows[0].hash}));
    }
}

BOOST_AUTO_TEST_CASE(random_bytes) {
    const std::vector<IndexRow> rows = rows_with_everything();
    const std::vector<NameHash> asked = some_hashes(rows, 12);
    const Bytes whole = encode_qbx_names(rows);
    std::mt19937_64 random(3);
    for (int round = 0; round < 1000; ++round) {
        Bytes bytes = whole;
        // Of the directory, of the head behind its version, or of anything.
        const size_t from = round % 3 == 0 ? bytes.size() - 32 : round % 3 == 1 ? 4 : 64;
        const size_t n = round % 3 == 0 ? 32 : round % 3 == 1 ? 28 : bytes.size() - 64;
        for (size_t i = 0; i < 1 + random() % 8; ++i)
            bytes[from + random() % n] = static_cast<uint8_t>(random());
        survives(bytes, asked);
    }
}

BOOST_AUTO_TEST_CASE(nothing_but_ones) {
    const std::vector<IndexRow> rows = rows_with_everything();
    Bytes bytes = encode_qbx_names(rows);
    std::fill(bytes.begin() + 64, bytes.end(), 0xff);
    BOOST_TEST(survives(bytes, some_hashes(rows, 20)));
    std::fill(bytes.begin() + 64, bytes.end(), 0);
    BOOST_TEST(survives(bytes, some_hashes(rows, 20)));
}

BOOST_AUTO_TEST_SUITE_END()
