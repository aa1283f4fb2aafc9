// From names to records, against a scan of the same file.
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

namespace {

// A BAM with its index, and where each name stands.
struct Fixture {
    TempDir dir;
    std::string path = dir / "x.bam";
    std::map<std::string, std::vector<VirtualOffset>> places;

    explicit Fixture(const std::vector<std::string>& qnames, size_t block_bytes = 700) {
        BamMaker maker;
        for (const std::string& qname : qnames) maker.add(qname);
        maker.write(path, block_bytes);
        std::vector<IndexRow> rows = test::rows_by_htslib(path);
        BOOST_REQUIRE_EQUAL(rows.size(), qnames.size());
        for (size_t i = 0; i < rows.size(); ++i) places[qnames[i]].push_back(rows[i].voffset);
        build_index(path, {});
    }
};

std::vector<std::string> random_names(size_t n_records, size_t n_names) {
    std::mt19937 random(7);
    std::vector<std::string> names;
    for (size_t i = 0; i < n_records; ++i)
        names.push_back("read:" + std::to_string(random() % n_names));
    return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_name_lookup)

BOOST_AUTO_TEST_CASE(candidates_are_in_file_order) {
    Fixture fixture(random_names(5000, 3000));
    QbiIndex index(fixture.path + ".qbi");
    BamFile bam(fixture.path);
    NameList names;
    std::set<std::pair<uint64_t, uint32_t>> want;
    for (int i = 2999; i >= 0; i -= 2) {
        std::string name = "read:" + std::to_string(i);
        uint32_t number = names.add(name);
        for (VirtualOffset voffset : fixture.places[name]) want.emplace(voffset.value, number);
    }
    for (int i = 0; i < 1000; ++i) names.add("absent:" + std::to_string(i));
    std::vector<NameCandidate> candidates = find_candidates(index, names);
    BOOST_REQUIRE_EQUAL(candidates.size(), want.size());
    auto expected = want.begin();
    NameFetcher fetcher(bam);
    for (const NameCandidate& candidate : candidates) {
        BOOST_REQUIRE_EQUAL(candidate.voffset.value, expected->first);
        BOOST_REQUIRE_EQUAL(candidate.name, expected->second);
        auto record = fetcher.fetch(candidate.voffset, names.name(candidate.name));
        BOOST_REQUIRE(record);
        BOOST_REQUIRE_EQUAL(record->qname(), names.name(candidate.name));
        ++expected;
    }
}

BOOST_AUTO_TEST_CASE(one_name_has_all_its_records) {
    Fixture fixture(random_names(2000, 10));
    QbiIndex index(fixture.path + ".qbi");
    BamFile bam(fixture.path);
    NameFetcher fetcher(bam);
    for (const auto& entry : fixture.places) {
        const auto& [name, places] = entry;
        std::vector<VirtualOffset> fetched;
        uint64_t n = fetch_name(index, fetcher, name, [&](const RecordView& record) {
            fetched.push_back(record.voffset);
            BOOST_REQUIRE_EQUAL(record.qname(), entry.first);
        });
        BOOST_TEST(n == places.size());
        BOOST_TEST((fetched == places));
    }
    BOOST_TEST(fetch_name(index, fetcher, "absent", [](const RecordView&) {}) == 0u);
}

BOOST_AUTO_TEST_CASE(nothing_asked_nothing_found) {
    Fixture fixture({"a"});
    QbiIndex index(fixture.path + ".qbi");
    BOOST_TEST(find_candidates(index, NameList()).empty());
}

BOOST_AUTO_TEST_CASE(no_records_nothing_found) {
    Fixture fixture({});
    QbiIndex index(fixture.path + ".qbi");
    NameList names;
    names.add("a");
    BOOST_TEST(find_candidates(index, names).empty());
}

BOOST_AUTO_TEST_CASE(another_name_with_another_hash_proves_a_foreign_index) {
    Fixture fixture({"a", "b"});
    BamFile bam(fixture.path);
    NameFetcher fetcher(bam);
    VirtualOffset place_of_b = fixture.places["b"][0];
    BOOST_TEST(fetcher.fetch(place_of_b, "b").has_value());
    try {
        fetcher.fetch(place_of_b, "a");
        BOOST_ERROR("a foreign index was not noticed");
    } catch (const Error& e) {
        BOOST_TEST((e.code() == ErrorCode::kForeignIndex));
    }
}

BOOST_AUTO_TEST_CASE(index_of_another_file_never_gives_another_name) {
    // Same size, same header, other names: only the records tell.
    Fixture ours({"a1", "a2", "a3"});
    Fixture other({"b1", "b2", "b3"});
    QbiIndex index(other.path + ".qbi");
    BamFile bam(ours.path);
    BOOST_REQUIRE_EQUAL(bam.identity().size_bytes, BamFile(other.path).identity().size_bytes);
    BOOST_CHECK_THROW(check_belongs(index, bam), Error);
    NameFetcher fetcher(bam);
    BOOST_CHECK_THROW(fetch_name(index, fetcher, "b2", [](const RecordView&) {}), Error);
}

BOOST_AUTO_TEST_SUITE_END()
