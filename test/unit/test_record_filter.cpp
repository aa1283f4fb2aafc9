// The filters against a brute-force reading of the SAM text of each record.

#include <htslib/kstring.h>
#include <htslib/sam.h>

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "hts_handles.hpp"
#include "qbix/error.hpp"
#include "qbix/record_filter.hpp"

namespace {

using namespace qbix;

const char kHeader[] = "@SQ\tSN:chr1\tLN:100000\n@RG\tID:a\tLB:one\n@RG\tID:b\tLB:two\n@RG\tID:c\n";

struct Records {
    SamHdrPtr header{sam_hdr_parse(std::strlen(kHeader), kHeader)};
    std::vector<BamPtr> records;

    void add(std::string line) {
        kstring_t text = KS_INITIALIZE;
        kputsn(line.data(), line.size(), &text);
        records.emplace_back(bam_init1());
        BOOST_REQUIRE(sam_parse1(&text, header.get(), records.back().get()) >= 0);
        ks_free(&text);
    }

    // Which records pass, as a string of 0s and 1s.
    std::string passing(const FilterSpec& spec) {
        RecordFilter filter(spec, header.get());
        std::string result;
        for (const auto& record : records)
            result += filter.passes(record.get(), header.get()) ? '1' : '0';
        return result;
    }
};

Records with_flags(std::initializer_list<int> flags) {
    Records r;
    for (const int flag : flags)
        r.add("q\t" + std::to_string(flag) + "\tchr1\t1\t" + std::to_string(flag % 61) +
              "\t4M\t*\t0\t0\tACGT\tIIII");
    return r;
}

Records with_tags(std::initializer_list<const char*> tags) {
    Records r;
    for (const char* tag : tags)
        r.add(std::string("q\t0\tchr1\t1\t9\t4M\t*\t0\t0\tACGT\tIIII") + (*tag ? "\t" : "") + tag);
    return r;
}

FilterSpec tag_spec(const std::string& tag, std::initializer_list<std::string> values) {
    FilterSpec spec;
    spec.tag = {tag, std::unordered_set<std::string>(values)};
    return spec;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(record_filter)

BOOST_AUTO_TEST_CASE(an_empty_specification_passes_everything) {
    BOOST_TEST(FilterSpec().is_empty());
    BOOST_TEST(with_flags({0, 4, 0xffff}).passing({}) == "111");
}

BOOST_AUTO_TEST_CASE(every_flag_word_against_its_definition) {
    Records r;
    for (int flag = 0; flag < 0x10000; flag += 97)
        r.add("q\t" + std::to_string(flag) + "\tchr1\t1\t0\t4M\t*\t0\t0\tACGT\tIIII");
    for (const uint16_t bits : {1, 3, 0x904, 0x1000, 0xffff}) {
        FilterSpec all, none, any, not_all;
        all.all_flags = none.no_flags = any.any_flags = not_all.not_all_flags = bits;
        std::string expected_all, expected_none, expected_any, expected_not_all;
        for (int flag = 0; flag < 0x10000; flag += 97) {
            expected_all += (flag & bits) == bits ? '1' : '0';
            expected_none += (flag & bits) == 0 ? '1' : '0';
            expected_any += (flag & bits) != 0 ? '1' : '0';
            expected_not_all += (flag & bits) != bits ? '1' : '0';
        }
        BOOST_TEST(r.passing(all) == expected_all);
        BOOST_TEST(r.passing(none) == expected_none);
        BOOST_TEST(r.passing(any) == expected_any);
        BOOST_TEST(r.passing(not_all) == expected_not_all);
    }
}

BOOST_AUTO_TEST_CASE(mapping_quality) {
    FilterSpec spec;
    spec.min_mapq = 30;
    BOOST_TEST(with_flags({0, 29, 30, 60}).passing(spec) == "0011");
}

BOOST_AUTO_TEST_CASE(query_length_counts_hard_clips) {
    Records r;
    for (const char* line :
         {"q\t0\tchr1\t1\t0\t4M\t*\t0\t0\tACGT\t*", "q\t0\tchr1\t1\t0\t1H4M5D\t*\t0\t0\tACGT\t*",
          "q\t0\tchr1\t1\t0\t1S2I1M\t*\t0\t0\tACGT\t*", "q\t4\t*\t0\t0\t*\t*\t0\t0\tACGTACGT\t*"})
        r.add(line);
    FilterSpec spec;
    spec.min_query_length = 5;
    BOOST_TEST(r.passing(spec) == "0100");
}

BOOST_AUTO_TEST_CASE(read_groups_let_the_ungrouped_pass) {
    Records r = with_tags({"RG:Z:a", "RG:Z:b", "", "RG:Z:nosuch"});
    FilterSpec spec;
    spec.read_groups = {{"a", "c"}};
    BOOST_TEST(r.passing(spec) == "1010");
    spec.ungrouped_pass = false;
    BOOST_TEST(r.passing(spec) == "1000");
    spec.read_groups_are_excluded = true;
    BOOST_TEST(r.passing(spec) == "0101");
    spec.ungrouped_pass = true;
    BOOST_TEST(r.passing(spec) == "0111");
    FilterSpec grouped_only;
    grouped_only.ungrouped_pass = false;
    BOOST_TEST(r.passing(grouped_only) == "1101");
    BOOST_TEST(!grouped_only.is_empty());
}

BOOST_AUTO_TEST_CASE(library_of_the_read_group) {
    FilterSpec spec;
    spec.library = "one";
    BOOST_TEST(with_tags({"RG:Z:a", "RG:Z:b", "RG:Z:c", "", "RG:Z:nosuch"}).passing(spec) ==
               "10000");
}

BOOST_AUTO_TEST_CASE(tags_by_presence_and_by_value) {
    Records r =
        with_tags({"XX:Z:5", "XX:i:5", "XX:A:5", "XX:f:5", "XX:i:-5", "XX:i:70000", "YY:i:5",
                   "XX:B:c,5", "XX:H:05", "XX:i:4000000000", "XX:Z:other\tXX:Z:5", "XX:Z:"});
    FilterSpec present;
    present.tag = {"XX", {}};
    BOOST_TEST(r.passing(present) == "111111011111");
    BOOST_TEST(r.passing(tag_spec("XX", {"5"})) == "111000000000");
    BOOST_TEST(r.passing(tag_spec("XX", {"5", "-5", "70000", "4000000000"})) == "111011000100");
    BOOST_TEST(r.passing(tag_spec("XX", {""})) == "000000000001");
    BOOST_TEST(r.passing(tag_spec("XX", {})) == "000000000000");
}

BOOST_AUTO_TEST_CASE(expressions_as_htslib_has_them) {
    Records r = with_tags({"NM:i:5", "NM:i:0", ""});
    FilterSpec spec;
    const auto passing = [&](const char* expression) {
        spec.expression = expression;
        return r.passing(spec);
    };
    BOOST_TEST(passing("[NM]==5") == "100");
    BOOST_TEST(passing("[NM]!=5") == "010");
    BOOST_TEST(passing("!([NM]==5)") == "011");
    BOOST_TEST(passing("[NM]") == "110");
    BOOST_TEST(passing("[NM]==\"0\"") == "000");
    BOOST_TEST(passing("mapq>8 && rname==\"chr1\"") == "111");
}

BOOST_AUTO_TEST_CASE(an_expression_that_makes_no_sense_is_an_error) {
    Records r = with_tags({"NM:i:5"});
    for (const char* expression : {"nosuchword==1", "mapq=~\"a\"", "((", "mapq==1)"}) {
        FilterSpec spec;
        spec.expression = expression;
        BOOST_CHECK_EXCEPTION(r.passing(spec), Error,
                              [](const Error& e) { return e.code() == ErrorCode::kUsage; });
    }
}

BOOST_AUTO_TEST_CASE(subsampling_keeps_names_together) {
    Records r;
    for (int i = 0; i < 4000; ++i)
        r.add("q" + std::to_string(i / 2) + "\t0\tchr1\t1\t0\t4M\t*\t0\t0\tACGT\t*");
    FilterSpec spec;
    spec.subsample_fraction = 0.25;
    spec.subsample_seed = 12345;
    const std::string kept = r.passing(spec);
    for (size_t i = 0; i < kept.size(); i += 2) BOOST_TEST(kept[i] == kept[i + 1]);
    const auto n = std::count(kept.begin(), kept.end(), '1');
    BOOST_TEST(n > 800);
    BOOST_TEST(n < 1200);
    spec.subsample_seed = 12346;
    BOOST_TEST(r.passing(spec) != kept);
}

BOOST_AUTO_TEST_SUITE_END()
