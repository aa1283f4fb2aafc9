// From names to records, against a scan of the same file.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bam_maker.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/name_lookup.hpp"

using namespace qbix;
using test::BamMaker;
using test::TempDir;

namespace qbix {
std::ostream& operator<<(std::ostream& out, IndexFormat format) {
    return out << format_name(format);
}
}  // namespace qbix

namespace {

// A BAM with its index, and where each name stands.
struct Fixture {
    TempDir dir;
    std::string path = dir / "x.bam";
    std::map<std::string, std::vector<VirtualOffset>> places;

    Fixture(IndexFormat index_format, const std::vector<std::string>& qnames,
            size_t block_bytes = 700)
        : format(index_format) {
        BamMaker maker;
        for (const std::string& qname : qnames) maker.add(qname);
        maker.write(path, block_bytes);
        std::vector<IndexRow> rows = test::rows_by_htslib(path);
        BOOST_REQUIRE_EQUAL(rows.size(), qnames.size());
        for (size_t i = 0; i < rows.size(); ++i) places[qnames[i]].push_back(rows[i].voffset);
        BuildOptions options;
        options.format = format;
        options.remainder_bits = 32;  // no false candidates
        build_index(path, options);
    }

    std::unique_ptr<const NameIndex> index() const {
        return open_name_index(default_index_path(path, format));
    }

    // With QBX a place is counted from the first record of the block.
    VirtualOffset voffset(const BamFile& bam, const RecordPlace& place) const {
        return RecordReader(bam).read_at(place).voffset;
    }

    IndexFormat format;
};

constexpr IndexFormat kFormats[] = {IndexFormat::kQbi1, IndexFormat::kQbi2, IndexFormat::kQbx};

std::vector<std::string> random_names(size_t n_records, size_t n_names) {
    std::mt19937 random(7);
    std::vector<std::string> names;
    for (size_t i = 0; i < n_records; ++i)
        names.push_back("read:" + std::to_string(random() % n_names));
    return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_name_lookup)

BOOST_DATA_TEST_CASE(candidates_are_in_file_order, boost::unit_test::data::make(kFormats), format) {
    Fixture fixture(format, random_names(5000, 3000));
    const auto index = fixture.index();
    BamFile bam(fixture.path);
    NameList names;
    std::set<std::pair<uint64_t, uint32_t>> want;
    for (int i = 2999; i >= 0; i -= 2) {
        std::string name = "read:" + std::to_string(i);
        uint32_t number = names.add(name);
        for (VirtualOffset voffset : fixture.places[name]) want.emplace(voffset.value, number);
    }
    for (int i = 0; i < 1000; ++i) names.add("absent:" + std::to_string(i));
    std::vector<NameCandidate> candidates = find_candidates(*index, names);
    BOOST_REQUIRE_EQUAL(candidates.size(), want.size());
    auto expected = want.begin();
    NameFetcher fetcher(*index, bam);
    for (const NameCandidate& candidate : candidates) {
        BOOST_REQUIRE_EQUAL(fixture.voffset(bam, candidate.place()).value, expected->first);
        BOOST_REQUIRE_EQUAL(candidate.name, expected->second);
        auto record = fetcher.fetch(candidate.place(), names.name(candidate.name));
        BOOST_REQUIRE(record);
        BOOST_REQUIRE_EQUAL(record->qname(), names.name(candidate.name));
        ++expected;
    }
}

BOOST_DATA_TEST_CASE(one_name_has_all_its_records, boost::unit_test::data::make(kFormats), format) {
    Fixture fixture(format, random_names(2000, 10));
    const auto index = fixture.index();
    BamFile bam(fixture.path);
    NameFetcher fetcher(*index, bam);
    for (const auto& entry : fixture.places) {
        const auto& [name, places] = entry;
        std::vector<VirtualOffset> fetched;
        uint64_t n = fetch_name(*index, fetcher, name, [&](const RecordView& record) {
            fetched.push_back(record.voffset);
            BOOST_REQUIRE_EQUAL(record.qname(), entry.first);
        });
        BOOST_TEST(n == places.size());
        BOOST_TEST((fetched == places));
    }
    BOOST_TEST(fetch_name(*index, fetcher, "absent", [](const RecordView&) {}) == 0u);
}

BOOST_DATA_TEST_CASE(nothing_asked_nothing_found, boost::unit_test::data::make(kFormats), format) {
    Fixture fixture(format, {"a"});
    const auto index = fixture.index();
    BOOST_TEST(find_candidates(*index, NameList()).empty());
}

BOOST_DATA_TEST_CASE(no_records_nothing_found, boost::unit_test::data::make(kFormats), format) {
    Fixture fixture(format, {});
    const auto index = fixture.index();
    NameList names;
    names.add("a");
    BOOST_TEST(find_candidates(*index, names).empty());
}

BOOST_DATA_TEST_CASE(another_name_with_another_hash_proves_a_foreign_index,
                     boost::unit_test::data::make(kFormats), format) {
    Fixture fixture(format, {"a", "b"});
    BamFile bam(fixture.path);
    const auto index = fixture.index();
    NameFetcher fetcher(*index, bam);
    const RecordPlace place_of_b{fixture.places["b"][0], 0};
    BOOST_TEST(fetcher.fetch(place_of_b, "b").has_value());
    try {
        fetcher.fetch(place_of_b, "a");
        BOOST_ERROR("a foreign index was not noticed");
    } catch (const Error& e) {
        BOOST_TEST((e.code() == ErrorCode::kForeignIndex));
    }
}

BOOST_DATA_TEST_CASE(index_of_another_file_never_gives_another_name,
                     boost::unit_test::data::make(kFormats), format) {
    // Same size, same header, other names: only the records tell.
    Fixture ours(format, {"a1", "a2", "a3"});
    Fixture other(format, {"b1", "b2", "b3"});
    const auto index = other.index();
    BamFile bam(ours.path);
    BOOST_REQUIRE_EQUAL(bam.identity().size_bytes, BamFile(other.path).identity().size_bytes);
    BOOST_CHECK_THROW(check_belongs(*index, bam), Error);
    NameFetcher fetcher(*index, bam);
    BOOST_CHECK_THROW(fetch_name(*index, fetcher, "b2", [](const RecordView&) {}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
