// options.hpp: command lines with samtools' manners, over Boost.Program_options.
//
// Short options cluster and take glued values (-bo out.bam, -@4), options may follow
// positional arguments, "--" ends them, unique prefixes of long options work. Options are
// handed to their handlers in the order of the command line, so that each may be repeated
// as its meaning asks: the last counts, or all do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace boost::program_options {
class options_description;
}

namespace qbix::cli {

// A command line that cannot be carried out.
class UsageError : public std::runtime_error {
   public:
    enum class Help { kNone, kUsageText };  // what to print below the message

    explicit UsageError(const std::string& message, Help help = Help::kNone)
        : std::runtime_error(message), help_(help) {}
    Help help() const noexcept { return help_; }

   private:
    Help help_;
};

// The options of one command. --help, -? and --version are always there.
class Options {
   public:
    enum class LetterH { kHelp, kOwn };  // what -h means; kOwn: the command says

    explicit Options(LetterH letter_h = LetterH::kHelp);
    ~Options();
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    // `spec` lists long spellings and, last, at most one letter: "excl-flags,exclude-flags,F",
    // or ",h" for a letter alone. Variables must outlive parse().
    void flag(const std::string& spec, bool& target);
    void flag(const std::string& spec, std::function<void()> handler);
    void value(const std::string& spec, std::string& target);  // the last one counts
    void list(const std::string& spec, std::vector<std::string>& target);
    void value(const std::string& spec, std::function<void(const std::string&)> handler);

    enum class Request { kRun, kHelp, kVersion };

    // Runs the handlers; leaves the positional arguments in `args`. Throws UsageError.
    Request parse(int argc, char** argv, std::vector<std::string>& args);

   private:
    using Handler = std::function<void(const std::string&)>;
    void add(const std::string& spec, bool takes_value, Handler handler);

    std::unique_ptr<boost::program_options::options_description> description_;
    std::map<std::string, Handler> handlers_;  // by the first spelling
    Request request_ = Request::kRun;
};

// A whole decimal number within [min, max]. `what` names the option in the message.
// Throws UsageError.
int64_t parse_integer(std::string_view text, int64_t min, int64_t max, const std::string& what);

// Bytes with an optional K, M or G (powers of 1024). Throws UsageError.
uint64_t parse_size(std::string_view text, const std::string& what);

// The handlers that many commands share.
void add_threads_option(Options& options, int& n_extra_threads);        // -@ INT, --threads INT
void add_total_threads_option(Options& options, int& n_extra_threads);  // --bgzf-threads INT
void add_verbosity_option(Options& options);                            // --verbosity INT

struct CommandText {
    const char* name;              // "view"
    const char* usage;             // the whole usage text
    const char* less_memory = "";  // what to do when there is too little: "; -m takes less"
};

// Parses the command line, answers --help and --version, otherwise calls `run` with the
// positional arguments. Turns every exception into "qbix NAME: message" on standard error
// and exit code 1. A call without arguments from a terminal prints the usage text.
int run_command(const CommandText& text, Options& options, int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace qbix::cli
