// Command lines: spellings, order, values.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "options.hpp"

using namespace qbix::cli;

namespace {

struct Parsed {
    bool bam = false;
    bool count = false;
    std::string output;
    std::vector<std::string> lists;
    std::vector<std::string> in_order;
    std::vector<std::string> args;
    Options::Request request = Options::Request::kRun;
};

Parsed parse(std::vector<std::string> words, Options::LetterH letter_h = Options::LetterH::kHelp) {
    Parsed parsed;
    Options options(letter_h);
    options.flag("bam,b", parsed.bam);
    options.flag("count,c", parsed.count);
    options.flag("fast,1", [&] { parsed.in_order.push_back("1"); });
    options.value("output,o", parsed.output);
    options.list("qname-file,N", parsed.lists);
    options.value("excl-flags,exclude-flags,F",
                  [&](const std::string& text) { parsed.in_order.push_back("F" + text); });
    options.value("threads,@",
                  [&](const std::string& text) { parsed.in_order.push_back("@" + text); });
    words.insert(words.begin(), "view");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    parsed.request = options.parse(static_cast<int>(words.size()), argv.data(), parsed.args);
    return parsed;
}

using Words = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(test_options)

BOOST_AUTO_TEST_CASE(clusters_and_glued_values) {
    Parsed p = parse({"-bco", "x", "-@4", "-F0x900", "in"});
    BOOST_TEST(p.bam);
    BOOST_TEST(p.count);
    BOOST_TEST(p.output == "x");
    BOOST_TEST((p.in_order == Words{"@4", "F0x900"}));
    BOOST_TEST((p.args == Words{"in"}));
    BOOST_TEST(parse({"-bcoy"}).output == "y");
}

BOOST_AUTO_TEST_CASE(long_spellings) {
    BOOST_TEST(parse({"--output=x"}).output == "x");
    BOOST_TEST(parse({"--output", "x"}).output == "x");
    BOOST_TEST(parse({"--outp", "x"}).output == "x");
    BOOST_TEST(
        (parse({"--excl-flags", "1", "--exclude-flags", "2"}).in_order == Words{"F1", "F2"}));
}

BOOST_AUTO_TEST_CASE(order_is_kept_and_repeats_are_fine) {
    Parsed p = parse({"-F1", "-1", "-@2", "-F3", "-b", "-b", "-o", "x", "-o", "y", "-Na", "-Nb"});
    BOOST_TEST((p.in_order == Words{"F1", "1", "@2", "F3"}));
    BOOST_TEST(p.output == "y");
    BOOST_TEST((p.lists == Words{"a", "b"}));
}

BOOST_AUTO_TEST_CASE(arguments_anywhere) {
    Parsed p = parse({"in", "-b", "-", "--", "-x", "--count"});
    BOOST_TEST(p.bam);
    BOOST_TEST(!p.count);
    BOOST_TEST((p.args == Words{"in", "-", "-x", "--count"}));
    BOOST_TEST((parse({""}).args == Words{""}));
    BOOST_TEST(parse({"-o", "-"}).output == "-");
    BOOST_TEST((parse({"-N", "^a"}).lists == Words{"^a"}));
}

BOOST_AUTO_TEST_CASE(help_and_version) {
    BOOST_TEST((parse({"--help"}).request == Options::Request::kHelp));
    BOOST_TEST((parse({"-?"}).request == Options::Request::kHelp));
    BOOST_TEST((parse({"-h"}).request == Options::Request::kHelp));
    BOOST_TEST((parse({"--version"}).request == Options::Request::kVersion));
    BOOST_CHECK_THROW(parse({"-h"}, Options::LetterH::kOwn), UsageError);
}

BOOST_AUTO_TEST_CASE(refused) {
    const Words refused[] = {{"--nosuch"}, {"-x"}, {"-o"}, {"--output"}, {"--bam=1"}, {"-bx"}};
    for (const Words& words : refused) BOOST_CHECK_THROW(parse(words), UsageError);
}

BOOST_AUTO_TEST_CASE(integers) {
    BOOST_TEST(parse_integer("0", 0, 9, "x") == 0);
    BOOST_TEST(parse_integer("-3", -3, 9, "x") == -3);
    BOOST_TEST(parse_integer("9", 0, 9, "x") == 9);
    for (const char* text :
         {"", " 1", "1 ", "+1", "x", "1x", "0x1", "1.0", "10", "-1", "99999999999999999999"})
        BOOST_CHECK_THROW(parse_integer(text, 0, 9, "x"), UsageError);
}

BOOST_AUTO_TEST_CASE(sizes) {
    BOOST_TEST(parse_size("0", "x") == 0u);
    BOOST_TEST(parse_size("17", "x") == 17u);
    BOOST_TEST(parse_size("2K", "x") == 2048u);
    BOOST_TEST(parse_size("2m", "x") == 2u << 20);
    BOOST_TEST(parse_size("3G", "x") == uint64_t{3} << 30);
    BOOST_TEST(parse_size("17179869183G", "x") == uint64_t{17179869183} << 30);
    for (const char* text :
         {"", "K", "1T", "1KB", "-1", "1.5M", " 1", "17179869184G", "99999999999999999999"})
        BOOST_CHECK_THROW(parse_size(text, "x"), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
