// Lists of names: what a line means, and the set against std::map.
#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bam_maker.hpp"
#include "line_reader.hpp"
#include "qbix/error.hpp"
#include "qbix/name_list.hpp"

using namespace qbix;
using test::TempDir;

namespace {

using Names = std::vector<std::string>;

void write_text(const std::string& path, std::string_view text) {
    test::write_file(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void write_gzip(const std::string& path, std::string_view text, const char* mode = "wb") {
    gzFile file = gzopen(path.c_str(), mode);
    BOOST_REQUIRE(file);
    BOOST_REQUIRE_EQUAL(gzwrite(file, text.data(), text.size()), static_cast<int>(text.size()));
    BOOST_REQUIRE_EQUAL(gzclose(file), Z_OK);
}

Names read_all(const std::string& path, NameListFormat format = {}) {
    NameReader reader(path, format);
    Names names;
    for (std::string_view name; reader.next(name);) names.emplace_back(name);
    return names;
}

Names names_of(std::string_view text, NameListFormat format = {}) {
    TempDir dir;
    write_text(dir / "list", text);
    Names names = read_all(dir / "list", format);
    // The same compressed, whatever the text is.
    write_gzip(dir / "list.gz", text);
    BOOST_TEST(read_all(dir / "list.gz", format) == names, boost::test_tools::per_element());
    return names;
}

void check_names(std::string_view text, const Names& want, NameListFormat format = {}) {
    BOOST_TEST_CONTEXT("list " << text) {
        BOOST_TEST(names_of(text, format) == want, boost::test_tools::per_element());
    }
}

constexpr NameListFormat kExact{.exact_lines = true};
constexpr NameListFormat kFastq{.fastq_names = true};

}  // namespace

BOOST_AUTO_TEST_SUITE(test_name_list)

BOOST_AUTO_TEST_CASE(lines_as_people_have_them) {
    check_names("", {});
    check_names("\n\r\n \n\t\n", {});
    check_names("a\nb", {"a", "b"});
    check_names("a\r\nb\r\n", {"a", "b"});
    check_names("  a\n\tb \nc\t7\t8\n", {"a", "b", "c"});
    check_names("a 1:N:0:ACGT\n", {"a"});
    check_names("#a\n@b\n*\n", {"#a", "@b", "*"});
    check_names("a/1\na/2\n", {"a/1", "a/2"});
    check_names(
        "\xef\xbb\xbf"
        "a\n",
        {"a"});
    check_names("\xef\xbb\xbf", {});
    check_names("\xe9\x80\n", {"\xe9\x80"});
    check_names("a\na\n", {"a", "a"});
    check_names(std::string_view("a\0b\nc", 5), {std::string("a\0b", 3), "c"});
}

BOOST_AUTO_TEST_CASE(exact_lines_keep_blanks) {
    check_names("a b\n", {"a b"}, kExact);
    check_names(" a \n", {" a "}, kExact);
    check_names("a b\tc\r\n", {"a b"}, kExact);
    check_names("\n\r\n", {}, kExact);
}

BOOST_AUTO_TEST_CASE(fastq_names_are_cleaned) {
    check_names("@a/1 x\n@a/2\na\nb/3\n", {"a", "a", "a", "b/3"}, kFastq);
    check_names("@\n/1\n@/2\n", {}, kFastq);
}

BOOST_AUTO_TEST_CASE(names_too_long_are_counted) {
    TempDir dir;
    std::string longest(kMaxNameBytes, 'x');
    write_text(dir / "list", "a\n" + longest + "\n" + longest + "y\nb\n" + longest + "\r\n" +
                                 std::string(100000, 'z') + "\n" + std::string(5000, ' ') + "c\n");
    NameReader reader(dir / "list");
    Names names;
    for (std::string_view name; reader.next(name);) names.emplace_back(name);
    Names want{"a", longest, "b", longest};
    BOOST_TEST(names == want, boost::test_tools::per_element());
    BOOST_TEST(reader.n_too_long() == 3u);
    BOOST_TEST(reader.first_too_long_line() == 3u);
}

BOOST_AUTO_TEST_CASE(long_line_with_a_short_name) {
    check_names("a " + std::string(200000, 'x') + "\nb\n", {"a", "b"});
}

BOOST_AUTO_TEST_CASE(buffer_edges) {
    // Lines of all lengths around every place of the 64 KiB buffer.
    std::string text;
    Names want;
    for (size_t i = 0; text.size() < 400000; ++i) {
        want.push_back(std::string(1 + i % 251, static_cast<char>('a' + i % 26)));
        text += want.back() + (i % 3 ? "\n" : "\r\n");
    }
    BOOST_TEST(names_of(text) == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gzip_members_follow_each_other) {
    TempDir dir;
    write_gzip(dir / "list", "a\nb");
    write_gzip(dir / "list", "c\nd\n", "ab");
    Names want{"a", "bc", "d"};
    BOOST_TEST(read_all(dir / "list") == want, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gzip_cut_anywhere_is_an_error) {
    TempDir dir;
    write_gzip(dir / "whole", "a\nbb\nccc\ndddd\n");
    std::vector<uint8_t> whole = test::read_file(dir / "whole");
    for (size_t n = 3; n < whole.size(); ++n) {
        test::write_file(dir / "cut", {whole.data(), n});
        BOOST_CHECK_THROW(read_all(dir / "cut"), Error);
    }
}

BOOST_AUTO_TEST_CASE(utf_16_is_refused) {
    TempDir dir;
    write_text(dir / "list", std::string_view("\xff\xfe"
                                              "a\0\n\0",
                                              6));
    BOOST_CHECK_THROW(read_all(dir / "list"), Error);
}

BOOST_AUTO_TEST_CASE(missing_file_is_named) {
    try {
        NameReader reader("/nonexistent/list");
        BOOST_ERROR("opened");
    } catch (const Error& e) {
        BOOST_TEST((e.code() == ErrorCode::kOpen));
        BOOST_TEST(std::string(e.what()).find("/nonexistent/list") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(line_reader_keeps_a_prefix) {
    TempDir dir;
    write_text(dir / "text", "12345\n123456\n12345\r\n123456\r\n");
    LineReader reader(dir / "text", 5);
    LineReader::Line line;
    std::vector<bool> is_cut;
    while (reader.next(line)) {
        BOOST_TEST(line.text == "12345");
        is_cut.push_back(line.is_cut);
    }
    BOOST_TEST((is_cut == std::vector<bool>{false, true, false, true}));
    BOOST_TEST(reader.line_number() == 4u);
}

BOOST_AUTO_TEST_CASE(set_against_a_map) {
    std::mt19937 random(20260820);
    NameList list;
    std::map<std::string, uint32_t> twin;
    Names in_order;
    for (int i = 0; i < 200000; ++i) {
        std::string name = std::to_string(random() % 60000);
        name.resize(name.size() + random() % 3, 'x');
        auto [entry, is_new] = twin.emplace(name, twin.size());
        if (is_new) in_order.push_back(name);
        BOOST_REQUIRE_EQUAL(list.add(name), entry->second);
    }
    BOOST_REQUIRE_EQUAL(list.size(), twin.size());
    for (uint32_t i = 0; i < list.size(); ++i) BOOST_REQUIRE_EQUAL(list.name(i), in_order[i]);
    for (const auto& [name, number] : twin) BOOST_REQUIRE_EQUAL(list.find(name).value(), number);
    for (int i = 0; i < 60000; ++i) {
        std::string name = std::to_string(i) + "y";
        BOOST_REQUIRE(!list.find(name));
    }
}

BOOST_AUTO_TEST_CASE(set_of_odd_names) {
    NameList list;
    BOOST_TEST(!list.find("a"));
    BOOST_TEST(list.empty());
    BOOST_TEST(list.add("") == 0u);
    BOOST_TEST(list.add(std::string(kMaxNameBytes, 'x')) == 1u);
    BOOST_TEST(list.add(std::string_view("\0", 1)) == 2u);
    BOOST_TEST(list.add("") == 0u);
    BOOST_TEST(list.size() == 3u);
    BOOST_TEST(list.name(1).size() == kMaxNameBytes);
    const std::string without_nul(kMaxNameBytesWithoutNul, 'y');
    BOOST_TEST(list.name(list.add(without_nul)) == without_nul);
    BOOST_CHECK_THROW(list.add(without_nul + 'y'), Error);
    NameList moved = std::move(list);
    BOOST_TEST(moved.find(std::string_view("\0", 1)).value() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
