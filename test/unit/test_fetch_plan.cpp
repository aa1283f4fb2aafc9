// When to fetch and when to scan.

#include <boost/test/unit_test.hpp>

#include "bam_maker.hpp"
#include "qbix/fetch_plan.hpp"
#include "qbix/index_builder.hpp"

namespace {

using namespace qbix;
using namespace qbix::test;

struct Fixture {
    TempDir dir;
    std::string path = dir / "a.bam";
    static constexpr int kRecords = 6000;

    Fixture() {
        BamMaker maker;
        for (int i = 0; i < kRecords; ++i) maker.add("r" + std::to_string(i), 50);
        maker.write(path, 1500);  // some 12 records a block
        for (const IndexFormat format : {IndexFormat::kQbi2, IndexFormat::kQbx}) {
            BuildOptions options;
            options.format = format;
            options.remainder_bits = 32;  // no false candidates
            build_index(path, options);
        }
    }

    FetchPlan plan(int first, int last, int step, uint64_t memory_bytes = 1 << 20) const {
        NameList names;
        for (int i = first; i < last; i += step) names.add("r" + std::to_string(i));
        const BamFile bam(path);
        const auto plan_of = [&](const char* suffix) {
            return plan_fetch(*open_name_index(path + suffix), bam, names, {memory_bytes});
        };
        const FetchPlan qbx = plan_of(".qbx"), qbi = plan_of(".qbi");
        BOOST_TEST((qbx.kind == qbi.kind));
        BOOST_TEST(qbx.reason == qbi.reason);
        BOOST_TEST(qbx.n_touched_blocks == qbi.n_touched_blocks);
        return qbx;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(fetch_plan)

BOOST_FIXTURE_TEST_CASE(few_names_are_fetched_in_file_order, Fixture) {
    const FetchPlan p = plan(0, kRecords, 1000);
    BOOST_TEST((p.kind == PlanKind::kFetch));
    BOOST_TEST(p.n_names == 6U);
    BOOST_TEST(p.n_names_indexed == 6U);
    BOOST_TEST(p.candidates.size() == 6U);
    BOOST_TEST(p.n_touched_blocks == 6U);
    BOOST_TEST(std::is_sorted(p.candidates.begin(), p.candidates.end()));
}

BOOST_FIXTURE_TEST_CASE(absent_names_cost_nothing, Fixture) {
    const FetchPlan p = plan(kRecords, 2 * kRecords, 1);
    BOOST_TEST((p.kind == PlanKind::kFetch));
    BOOST_TEST(p.n_names_indexed == 0U);
    BOOST_TEST(p.candidates.empty());
}

BOOST_FIXTURE_TEST_CASE(most_records_are_scanned, Fixture) {
    const FetchPlan p = plan(0, kRecords, 1);
    BOOST_TEST((p.kind == PlanKind::kScan));
    BOOST_TEST(p.candidates.empty());
    BOOST_TEST(!p.reason.empty());
}

BOOST_FIXTURE_TEST_CASE(every_block_touched_is_scanned, Fixture) {
    const FetchPlan p = plan(0, kRecords, 4);
    BOOST_TEST((p.kind == PlanKind::kScan));
    BOOST_TEST(p.n_blocks_estimated > 300U);
    BOOST_TEST(p.fetch_cost > p.scan_cost);
}

BOOST_FIXTURE_TEST_CASE(a_cluster_of_records_is_fetched, Fixture) {
    const FetchPlan p = plan(0, 2500, 1);
    BOOST_TEST((p.kind == PlanKind::kFetch));
    BOOST_TEST(p.candidates.size() == 2500U);
}

BOOST_FIXTURE_TEST_CASE(memory_bounds_the_candidates, Fixture) {
    const FetchPlan p = plan(0, 2500, 1, 100 * sizeof(NameCandidate));
    BOOST_TEST((p.kind == PlanKind::kScan));
    BOOST_TEST(p.candidates.empty());
}

BOOST_AUTO_TEST_SUITE_END()
