#include "options.hpp"

#include <htslib/hts.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <charconv>
#include <cstdio>
#include <new>
#include <system_error>

#include "version.hpp"

namespace qbix::cli {
namespace {

namespace po = boost::program_options;

constexpr int kMaxThreads = 1024;

// By which key Boost reports an option: its first long spelling, else the letter with a dash.
std::string key_of(const std::string& spec) {
    return spec[0] == ',' ? "-" + spec.substr(1) : spec.substr(0, spec.find(','));
}

void print_error(const char* command, const std::string& message) {
    fflush(stdout);  // so that what a terminal shows is in order
    fprintf(stderr, "qbix %s: %s\n", command, message.c_str());
}

}  // namespace

Options::Options(LetterH letter_h) : description_(std::make_unique<po::options_description>()) {
    flag("help,?", [this] { request_ = Request::kHelp; });
    if (letter_h == LetterH::kHelp) flag(",h", [this] { request_ = Request::kHelp; });
    flag("version", [this] { request_ = Request::kVersion; });
}

Options::~Options() = default;

void Options::add(const std::string& spec, bool takes_value, Handler handler) {
    description_->add_options()(spec.c_str(), new po::untyped_value(!takes_value));
    handlers_[key_of(spec)] = std::move(handler);
}

void Options::flag(const std::string& spec, bool& target) {
    add(spec, false, [&target](const std::string&) { target = true; });
}

void Options::flag(const std::string& spec, std::function<void()> handler) {
    add(spec, false, [handler = std::move(handler)](const std::string&) { handler(); });
}

void Options::value(const std::string& spec, std::string& target) {
    add(spec, true, [&target](const std::string& text) { target = text; });
}

void Options::list(const std::string& spec, std::vector<std::string>& target) {
    add(spec, true, [&target](const std::string& text) { target.push_back(text); });
}

void Options::value(const std::string& spec, std::function<void(const std::string&)> handler) {
    add(spec, true, std::move(handler));
}

Options::Request Options::parse(int argc, char** argv, std::vector<std::string>& args) {
    try {
        po::parsed_options parsed =
            po::command_line_parser(argc, argv).options(*description_).run();
        for (const po::option& option : parsed.options) {
            if (option.position_key >= 0)
                args.insert(args.end(), option.value.begin(), option.value.end());
            else
                handlers_.at(option.string_key)(option.value.empty() ? "" : option.value[0]);
            if (request_ != Request::kRun) break;
        }
    } catch (const po::error& e) {
        throw UsageError(e.what(), UsageError::Help::kUsageText);
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
