#include "options.hpp"

#include <htslib/hts.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <new>
#include <system_error>

#include "version.hpp"

namespace qbix::cli {
namespace {

constexpr int kMaxThreads = 1024;

// Calls take(spelling) for each long spelling and take_letter(letter) for the letter, until one
// returns true; returns whether one did.
template <class Take, class TakeLetter>
bool any_spelling(const char* spec, Take take, TakeLetter take_letter) {
    std::string_view rest = spec;
    for (;;) {
        const size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view spelling = rest.substr(0, comma);
        if (spelling.size() == 1 ? take_letter(spelling[0]) : !spelling.empty() && take(spelling))
            return true;
        if (comma == rest.size()) return false;
        rest.remove_prefix(comma + 1);
    }
}

[[noreturn]] void refuse(const std::string& message) {
    throw UsageError(message, UsageError::Help::kUsageText);
}

void print_error(const char* command, const std::string& message) {
    fflush(stdout);  // so that what a terminal shows is in order
    fprintf(stderr, "qbix %s: %s\n", command, message.c_str());
}

}  // namespace

Options::Options(LetterH letter_h) {
    options_.reserve(80);
    flag("help,?", [this] { request_ = Request::kHelp; });
    if (letter_h == LetterH::kHelp) flag(",h", [this] { request_ = Request::kHelp; });
    flag("version", [this] { request_ = Request::kVersion; });
}

std::string Options::Option::shown() const {
    const std::string_view text = spec;
    if (text[0] == ',') return "-" + std::string(text.substr(1));
    return "--" + std::string(text.substr(0, text.find(',')));
}

void Options::add(const char* spec, bool takes_value, Handler handler) {
    options_.push_back({spec, takes_value, std::move(handler)});
}

void Options::flag(const char* spec, bool& target) {
    add(spec, false, [&target](const std::string&) { target = true; });
}

void Options::flag(const char* spec, std::function<void()> handler) {
    add(spec, false, [handler = std::move(handler)](const std::string&) { handler(); });
}

void Options::value(const char* spec, std::string& target) {
    add(spec, true, [&target](const std::string& text) { target = text; });
}

void Options::list(const char* spec, std::vector<std::string>& target) {
    add(spec, true, [&target](const std::string& text) { target.push_back(text); });
}

void Options::value(const char* spec, std::function<void(const std::string&)> handler) {
    add(spec, true, std::move(handler));
}

// The option with this long spelling, or the only one of which it is the beginning.
const Options::Option& Options::find_long(std::string_view name) const {
    const Option* found = nullptr;
    bool is_ambiguous = false;
    const auto no_letter = [](char) { return false; };
    for (const Option& option : options_) {
        const auto is_name = [&](std::string_view spelling) { return spelling == name; };
        const auto begins = [&](std::string_view spelling) { return spelling.starts_with(name); };
        if (any_spelling(option.spec, is_name, no_letter)) return option;
        if (name.empty() || !any_spelling(option.spec, begins, no_letter)) continue;
        is_ambiguous = is_ambiguous || found;
        found = &option;
    }
    if (is_ambiguous) refuse("option '--" + std::string(name) + "' is ambiguous");
    if (!found) refuse("unrecognised option '--" + std::string(name) + "'");
    return *found;
}

const Options::Option& Options::find_letter(char letter) const {
    for (const Option& option : options_)
        if (any_spelling(
                option.spec, [](std::string_view) { return false; },
                [&](char own) { return own == letter; }))
            return option;
    refuse(std::string("unrecognised option '-") + letter + "'");
}

void Options::run_with_value(const Option& option, std::string_view glued, Words& words) {
    if (glued.data()) return option.handler(std::string(glued));
    if (words.empty())
        refuse("the required argument for option '" + option.shown() + "' is missing");
    option.handler(std::string(words.take()));
}

void Options::parse_long(std::string_view word, Words& words) {
    const size_t equals = std::min(word.find('='), word.size());
    const bool has_value = equals < word.size();
    const Option& option = find_long(word.substr(0, equals));
    if (option.takes_value)
        run_with_value(option, has_value ? word.substr(equals + 1) : std::string_view(), words);
    else if (has_value)
        refuse("option '" + option.shown() + "' takes no value");
    else
        option.handler({});
}

void Options::parse_letters(std::string_view letters, Words& words) {
    while (!letters.empty() && request_ == Request::kRun) {
        const Option& option = find_letter(letters[0]);
        letters.remove_prefix(1);
        if (option.takes_value)
            return run_with_value(option, letters.empty() ? std::string_view() : letters, words);
        option.handler({});
    }
}

Options::Request Options::parse(int argc, char** argv, std::vector<std::string>& args) {
    Words words{argv + 1, argv + argc};
    while (!words.empty() && request_ == Request::kRun) {
        const std::string_view word = words.take();
        if (word == "--") {
            args.insert(args.end(), words.next, words.end);
            break;
        }
        if (word.starts_with("--"))
            parse_long(word.substr(2), words);
        else if (word.size() > 1 && word[0] == '-')
            parse_letters(word.substr(1), words);
        else
            args.emplace_back(word);
    }
    return request_;
}

int64_t parse_integer(std::string_view text, int64_t min, int64_t max, const std::string& what) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty() || number < min ||
        number > max)
        throw UsageError(what + " takes a whole number from " + std::to_string(min) + " to " +
                         std::to_string(max) + ", not \"" + std::string(text) + "\"");
    return number;
}

uint64_t parse_size(std::string_view text, const std::string& what) {
    auto refuse = [&] {
        throw UsageError(what +
                         " takes a size such as 512M (K, M and G are powers of 1024), not \"" +
                         std::string(text) + "\"");
    };
    uint64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, text.data() + text.size() - end);
    if (error != std::errc() || unit.size() > 1) refuse();
    size_t power = unit.empty() ? 0 : std::string_view("KkMmGg").find(unit) / 2 + 1;
    if (power > 3 || number > UINT64_MAX >> (10 * power)) refuse();
    return number << (10 * power);
}

void add_threads_option(Options& options, int& n_extra_threads) {
    options.value("threads,@", [&n_extra_threads](const std::string& text) {
        n_extra_threads = static_cast<int>(parse_integer(text, 0, kMaxThreads, "-@/--threads"));
    });
}

void add_total_threads_option(Options& options, int& n_extra_threads) {
    options.value("bgzf-threads", [&n_extra_threads](const std::string& text) {
        n_extra_threads =
            static_cast<int>(parse_integer(text, 1, kMaxThreads + 1, "--bgzf-threads")) - 1;
    });
}

void add_verbosity_option(Options& options) {
    options.value("verbosity", [](const std::string& text) {
        hts_set_log_level(static_cast<htsLogLevel>(parse_integer(text, 0, 100, "--verbosity")));
    });
}

int run_command(const CommandText& text, Options& options, int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& run) {
    try {
        std::vector<std::string> args;
        if (argc == 1 && isatty(STDIN_FILENO)) {
            fputs(text.usage, stdout);
            return 0;
        }
        switch (options.parse(argc, argv, args)) {
            case Options::Request::kHelp:
                fputs(text.usage, stdout);
                return 0;
            case Options::Request::kVersion:
                print_version();
                return 0;
            case Options::Request::kRun:
                return run(args);
        }
    } catch (const UsageError& e) {
        print_error(text.name, e.what());
        if (e.help() == UsageError::Help::kUsageText) fputs(text.usage, stderr);
    } catch (const std::bad_alloc&) {
        print_error(text.name, std::string("out of memory") + text.less_memory);
    } catch (const std::system_error& e) {
        const bool is_thread = e.code() == std::errc::resource_unavailable_try_again;
        print_error(text.name, is_thread
                                   ? "failed to start a thread: too little memory, or too many "
                                     "processes; -@ takes fewer"
                                   : e.what());
    } catch (const std::exception& e) {
        print_error(text.name, e.what());
    }
    return 1;
}

}  // namespace qbix::cli
