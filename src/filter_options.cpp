#include "filter_options.hpp"

#include <htslib/bgzf.h>
#include <htslib/kstring.h>
#include <htslib/sam.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

namespace qbix::cli {
namespace {

double parse_fraction(const std::string& text, const std::string& what) {
    char* end = nullptr;
    double number = std::strtod(text.c_str(), &end);
    bool starts_well =
        !text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '.');
    if (!starts_well || *end != '\0' || !(number >= 0))
        throw UsageError(what + " takes a number, not \"" + text + "\"");
    return number;
}

// samtools spreads small seeds through the C library's generator.
uint32_t spread_seed(int64_t seed) {
    if (seed == 0) return 0;
    srand(static_cast<unsigned>(seed));
    return static_cast<uint32_t>(rand());
}

// -s SEED.FRACTION
void parse_seed_and_fraction(const std::string& text, FilterSpec& spec) {
    double number = parse_fraction(text, "-s");
    size_t point = std::min(text.find('.'), text.size());
    int64_t seed = point == 0 ? 0 : parse_integer(text.substr(0, point), 0, INT32_MAX, "-s");
    spec.subsample_seed = spread_seed(seed);
    spec.subsample_fraction = number - static_cast<double>(seed);
}

FilterSpec::TagValues& tag_values(const std::string& tag, const std::string& option,
                                  FilterSpec& spec) {
    if (tag.size() != 2)
        throw UsageError(option + " takes a tag of two characters, not \"" + tag + "\"");
    if (spec.tag && spec.tag->tag != tag)
        throw UsageError("-d and -D take one tag: \"" + spec.tag->tag + "\" and \"" + tag +
                         "\" are two; use -e or a pipe");
    if (!spec.tag) spec.tag = FilterSpec::TagValues{tag, {}};
    return *spec.tag;
}

// -d TAG[:VALUE]
void add_tag(const std::string& text, FilterSpec& spec) {
    FilterSpec::TagValues& tag = tag_values(text.substr(0, 2), "-d/--tag", spec);
    if (text.size() == 2) return;
    if (text[2] != ':') throw UsageError("-d/--tag takes TAG or TAG:VALUE, not \"" + text + "\"");
    if (!tag.values) tag.values.emplace();
    tag.values->insert(text.substr(3));
}

// -D TAG:FILE, or TAG;FILE for file names with a colon
void add_tag_file(const std::string& text, FilterSpec& spec) {
    if (text.size() < 4 || (text[2] != ':' && text[2] != ';'))
        throw UsageError("-D/--tag-file takes TAG:FILE, not \"" + text + "\"");
    FilterSpec::TagValues& tag = tag_values(text.substr(0, 2), "-D/--tag-file", spec);
    if (!tag.values) tag.values.emplace();
    for (std::string& word : read_words(text.substr(3))) tag.values->insert(std::move(word));
}

void add_read_groups(std::vector<std::string> names, bool are_excluded, FilterSpec& spec) {
    if (spec.read_groups && spec.read_groups_are_excluded != are_excluded)
        throw UsageError("-r/-R FILE and -R ^FILE exclude each other");
    if (!spec.read_groups) spec.read_groups.emplace();
    spec.read_groups_are_excluded = are_excluded;
    for (std::string& name : names) spec.read_groups->insert(std::move(name));
}

void add_read_group_file(const std::string& text, FilterSpec& spec) {
    bool is_excluded = text.starts_with('^');
    add_read_groups(read_words(is_excluded ? text.substr(1) : text), is_excluded, spec);
}

void add_flag_option(Options& options, const std::string& spelling, const std::string& what,
                     uint16_t& flags) {
    options.value(spelling, [what, &flags](const std::string& text) {
        flags = static_cast<uint16_t>(flags | parse_flags(text, what));
    });
}

}  // namespace

uint16_t parse_flags(const std::string& text, const std::string& what) {
    auto refuse = [&] {
        throw UsageError(what +
                         " takes a number up to 65535 or names such as PAIRED,UNMAP, not \"" +
                         text + "\"");
    };
    if (text.empty()) refuse();
    int flags = 0;
    if (std::isdigit(static_cast<unsigned char>(text[0]))) {
        char* end = nullptr;
        errno = 0;
        unsigned long number = std::strtoul(text.c_str(), &end, 0);
        if (errno != 0 || *end != '\0' || number > UINT16_MAX) refuse();
        flags = static_cast<int>(number);
    } else {
        flags = std::isalpha(static_cast<unsigned char>(text[0])) ? bam_str2flag(text.c_str()) : -1;
        if (flags < 0) refuse();
    }
    return static_cast<uint16_t>(flags);
}

std::vector<std::string> read_words(const std::string& path) {
    struct Close {
        void operator()(BGZF* file) const noexcept { bgzf_close(file); }
    };
    std::unique_ptr<BGZF, Close> file(bgzf_open(path.c_str(), "r"));
    if (!file) throw UsageError("failed to open \"" + path + "\": " + strerror(errno));
    std::vector<std::string> words;
    kstring_t line = KS_INITIALIZE;
    int status;
    while ((status = bgzf_getline(file.get(), '\n', &line)) >= 0) {
        std::istringstream text(std::string(line.s, line.l));
        for (std::string word; text >> word;) words.push_back(word);
    }
    ks_free(&line);
    if (status < -1) throw UsageError("failed to read \"" + path + "\"");
    return words;
}

void add_filter_options(Options& options, FilterSpec& spec) {
    add_flag_option(options, "require-flags,f", "-f/--require-flags", spec.all_flags);
    add_flag_option(options, "excl-flags,exclude-flags,F", "-F/--excl-flags", spec.no_flags);
    add_flag_option(options, "rf,incl-flags,include-flags", "--rf/--incl-flags", spec.any_flags);
    add_flag_option(options, ",G", "-G", spec.not_all_flags);
    options.value("min-MQ,min-mq,min-mapq,q", [&spec](const std::string& text) {
        spec.min_mapq = static_cast<int>(parse_integer(text, 0, 255, "-q/--min-MQ"));
    });
    options.value("min-qlen,m", [&spec](const std::string& text) {
        spec.min_query_length = parse_integer(text, 0, INT64_MAX, "-m/--min-qlen");
    });
    options.value("library,l", [&spec](const std::string& text) { spec.library = text; });
    options.flag(",n", [&spec] { spec.ungrouped_pass = false; });
    options.value("read-group,r",
                  [&spec](const std::string& text) { add_read_groups({text}, false, spec); });
    options.value("read-group-file,R",
                  [&spec](const std::string& text) { add_read_group_file(text, spec); });
    options.value("tag,d", [&spec](const std::string& text) { add_tag(text, spec); });
    options.value("tag-file,D", [&spec](const std::string& text) { add_tag_file(text, spec); });
    options.value(",s", [&spec](const std::string& text) { parse_seed_and_fraction(text, spec); });
    options.value("subsample", [&spec](const std::string& text) {
        spec.subsample_fraction = parse_fraction(text, "--subsample");
        if (spec.subsample_fraction > 1) throw UsageError("--subsample takes a number from 0 to 1");
    });
    options.value("subsample-seed", [&spec](const std::string& text) {
        spec.subsample_seed = spread_seed(parse_integer(text, 0, INT32_MAX, "--subsample-seed"));
    });
    options.value("expr,e", [&spec](const std::string& text) { spec.expression = text; });
}

}  // namespace qbix::cli
