// The section of blocks against a plain list of them: both ways, at all sizes, damaged.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

#include "bam_maker.hpp"
#include "block_locator.hpp"
#include "block_starts.hpp"
#include "qbix/error.hpp"
#include "qbix/record_reader.hpp"
#include "qbx_fixtures.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

struct List {
    std::vector<BlockStart> blocks;
    uint64_t n_records = 0;
};

// n_blocks of up to `most_records` each; coffsets grow by up to `most_bytes`.
List make_list(size_t n_blocks, uint64_t most_records, uint64_t most_bytes, uint64_t seed) {
    std::mt19937_64 random(seed);
    List list;
    uint64_t coffset = random() % 1000;
    for (size_t i = 0; i < n_blocks; ++i) {
        list.blocks.push_back({coffset, static_cast<uint32_t>(random() % 65536), list.n_records});
        list.n_records += 1 + random() % most_records;
        coffset += 1 + random() % most_bytes;
    }
    return list;
}

void check_against(const List& list, const BlockLocator& locator,
                   std::span<const uint64_t> ordinals) {
    BOOST_REQUIRE_EQUAL(locator.n_blocks(), list.blocks.size());
    BOOST_REQUIRE_EQUAL(locator.n_records(), list.n_records);
    locator.validate();
    std::vector<uint64_t> coffsets;
    for (size_t i = 0; i < list.blocks.size(); ++i) {
        BOOST_REQUIRE(locator.block(i) == list.blocks[i]);
        BOOST_REQUIRE(locator.block_at(list.blocks[i].coffset) == list.blocks[i]);
        const bool next_is_free =
            i + 1 == list.blocks.size() || list.blocks[i + 1].coffset > list.blocks[i].coffset + 1;
        if (next_is_free) BOOST_REQUIRE(!locator.block_at(list.blocks[i].coffset + 1));
        coffsets.push_back(list.blocks[i].coffset);
    }
    std::vector<BlockStart> found(coffsets.size());
    locator.blocks_at(coffsets, found);
    BOOST_REQUIRE(found == list.blocks);
    std::vector<RecordPlace> places(ordinals.size());
    locator.places_of(ordinals, places);
    for (size_t i = 0; i < ordinals.size(); ++i) {
        const auto next = std::upper_bound(
            list.blocks.begin(), list.blocks.end(), ordinals[i],
            [](uint64_t ordinal, const BlockStart& b) { return ordinal < b.first_ordinal; });
        const BlockStart& block = next[-1];
        const RecordPlace wanted{VirtualOffset::make(block.coffset, block.uoffset),
                                 static_cast<uint32_t>(ordinals[i] - block.first_ordinal)};
        BOOST_REQUIRE(places[i] == wanted);
        BOOST_REQUIRE(locator.place_of(ordinals[i]) == wanted);
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(block_locator)

BOOST_AUTO_TEST_CASE(every_number_of_blocks) {
    for (size_t n_blocks = 0; n_blocks <= 2000; n_blocks += n_blocks < 200 ? 1 : 37) {
        const List list = make_list(n_blocks, 1 + n_blocks % 5, 1 + n_blocks * 7 % 70000, n_blocks);
        const auto bytes = encode_blocks(list.blocks, list.n_records);
        const auto section = QbxSection::of_memory(bytes);
        std::vector<uint64_t> all(list.n_records);
        std::iota(all.begin(), all.end(), uint64_t{0});
        check_against(list, BlockLocator(*section), all);
    }
}

BOOST_AUTO_TEST_CASE(large_lists_of_all_kinds) {
    struct Kind {
        size_t n_blocks;
        uint64_t most_records, most_bytes;
    };
    for (const Kind kind : {Kind{20000, 300, 65536}, Kind{5000, 1, uint64_t{1} << 35},
                            Kind{3000, uint64_t{1} << 30, 100}}) {
        List list = make_list(kind.n_blocks, kind.most_records, kind.most_bytes, kind.n_blocks);
        list.n_records += uint64_t{1} << 31;  // one block has very many
        const auto bytes = encode_blocks(list.blocks, list.n_records);
        const auto section = QbxSection::of_memory(bytes);
        std::mt19937_64 random(7);
        std::vector<uint64_t> some;
        for (int i = 0; i < 5000; ++i) some.push_back(random() % list.n_records);
        std::sort(some.begin() + 2500, some.end());
        check_against(list, BlockLocator(*section), some);
    }
}

BOOST_AUTO_TEST_CASE(a_block_of_ordinary_size_takes_seven_bytes) {
    std::mt19937_64 random(1);
    List list;
    for (uint64_t i = 0; i < 64000; ++i) {
        list.blocks.push_back({i * 11000 + random() % 500, static_cast<uint32_t>(random() % 400),
                               i * 175 + random() % 5});
    }
    list.n_records = 64000 * 175 + 10;
    BOOST_TEST(static_cast<double>(encode_blocks(list.blocks, list.n_records).size()) / 64000 <
               7.0);
}

BOOST_AUTO_TEST_CASE(a_block_that_comes_twice_counts_once) {
    const BlockStart first{10, 3, 0}, second{20, 0, 5};
    const std::vector<BlockStart> twice{first, first, second, {20, 7, 6}};
    const auto bytes = encode_blocks(twice, 9);
    const auto section = QbxSection::of_memory(bytes);
    check_against({{first, second}, 9}, BlockLocator(*section),
                  std::vector<uint64_t>{0, 4, 5, 6, 8});
}

// The checksums are right, the numbers are not: an Error, or an answer that leads nowhere.
BOOST_AUTO_TEST_CASE(hostile_numbers) {
    const List list = make_list(150, 4, 30000, 3);
    const auto whole = encode_blocks(list.blocks, list.n_records);
    std::mt19937_64 random(4);
    const auto use = [](const std::vector<uint8_t>& bytes) {
        try {
            const auto section = QbxSection::of_memory(bytes);
            const BlockLocator locator(*section);
            if (locator.n_records() == 0) return;
            for (uint64_t k = 0; k < 8; ++k) try {
                    locator.place_of(locator.n_records() / 8 * k);
                    locator.block_at(k << 14);
                } catch (const Error&) {
                }
            locator.place_of(locator.n_records() - 1);
            locator.validate();
        } catch (const Error&) {
        }
    };
    for (size_t at = 0; at < whole.size(); ++at)
        for (const uint8_t value : {0x00, 0xff, 0x80, 0x01}) {
            auto damaged = whole;
            damaged[at] = value;
            use(damaged);
        }
    for (size_t at = 0; at + 8 <= whole.size(); at += 8)
        for (const uint64_t value : {UINT64_MAX, uint64_t{1} << 63, uint64_t{1} << 40, random()}) {
            auto damaged = whole;
            store_le(damaged.data() + at, value);
            use(damaged);
        }
    for (size_t n = 0; n < whole.size(); ++n)
        use(std::vector<uint8_t>(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)));
}

// Blocks of 100 bytes and empty ones: places lead to the records, and virtual offsets back.
BOOST_AUTO_TEST_CASE(places_lead_to_records_and_back) {
    TempDir dir;
    for (const int seed : {1, 2, 3}) {
        std::mt19937 random(static_cast<unsigned>(seed));
        BamMaker maker;
        for (int i = 0; i < 300; ++i)
            maker.add("r" + std::to_string(i), random() % 40 == 0 ? 900 : random() % 30);
        write_file(dir / "a.bam", maker.file([&random, seed]() -> size_t {
            return random() % 8 == 0 ? 0 : seed == 1 ? 100 : 1 + random() % 700;
        }));
        const auto rows = rows_by_htslib(dir / "a.bam");
        List list;
        for (const IndexRow& row : rows) {
            if (list.blocks.empty() || list.blocks.back().coffset != row.voffset.coffset())
                list.blocks.push_back(
                    {row.voffset.coffset(), row.voffset.uoffset(), list.n_records});
            ++list.n_records;
        }
        const auto bytes = encode_blocks(list.blocks, list.n_records);
        const auto section = QbxSection::of_memory(bytes);
        const BlockLocator locator(*section);
        const BamFile bam(dir / "a.bam");
        RecordReader reader(bam), another(bam);
        for (uint64_t ordinal = 0; ordinal < rows.size(); ++ordinal) {
            const VirtualOffset voffset = rows[ordinal].voffset;
            const RecordView record = reader.read_at(locator.place_of(ordinal));
            BOOST_REQUIRE(record.voffset == voffset);
            BOOST_REQUIRE(record.qname() == "r" + std::to_string(ordinal));
            const BlockStart block = locator.block_at(voffset.coffset()).value();
            BOOST_REQUIRE_EQUAL(block.first_ordinal +
                                    another.number_in_block(
                                        VirtualOffset::make(block.coffset, block.uoffset), voffset),
                                ordinal);
        }
        // Not ascending, too.
        for (uint64_t ordinal = rows.size(); ordinal-- > 0;)
            BOOST_REQUIRE(reader.read_at(locator.place_of(ordinal)).voffset ==
                          rows[ordinal].voffset);
        const BlockStart last = list.blocks.back();
        BOOST_CHECK_THROW(
            reader.read_at(RecordPlace{VirtualOffset::make(last.coffset, last.uoffset), 100000}),
            Error);
        BOOST_CHECK_THROW(
            reader.number_in_block(VirtualOffset::make(last.coffset, last.uoffset),
                                   VirtualOffset::make(last.coffset, last.uoffset + 1)),
            Error);
    }
}

BOOST_AUTO_TEST_CASE(chunks_are_put_in_order) {
    std::vector<BlockStart> got;
    BlockStartOrder order([&](std::span<const BlockStart> blocks) {
        got.insert(got.end(), blocks.begin(), blocks.end());
    });
    order.give(1, {{2, 0, 2}});
    order.give(3, {{4, 0, 4}, {5, 0, 5}});
    BOOST_TEST(got.empty());
    order.give(0, {{1, 0, 0}});
    order.give(2, {});
    BOOST_REQUIRE_EQUAL(got.size(), 4);
    BOOST_TEST(got[3].coffset == 5);
}

BOOST_AUTO_TEST_SUITE_END()
