// options.hpp: command lines with samtools' manners.
//
// Short options cluster and take glued values (-bo out.bam, -@4), options may follow
// positional arguments, "--" ends them, unique prefixes of long options work. Options are
// handed to their handlers in the order of the command line, so that each may be repeated
// as its meaning asks: the last counts, or all do.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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
    Options(const Options&) = delete;
    Options& operator=(const Options&) = delete;

    // `spec` lists long spellings and, last, at most one letter: "excl-flags,exclude-flags,F",
    // or ",h" for a letter alone. It is kept as a pointer. Variables must outlive parse().
    void flag(const char* spec, bool& target);
    void flag(const char* spec, std::function<void()> handler);
    void value(const char* spec, std::string& target);  // the last one counts
    void list(const char* spec, std::vector<std::string>& target);
    void value(const char* spec, std::function<void(const std::string&)> handler);

    enum class Request { kRun, kHelp, kVersion };

    // Runs the handlers; leaves the positional arguments in `args`. Throws UsageError.
    Request parse(int argc, char** argv, std::vector<std::string>& args);

   private:
    using Handler = std::function<void(const std::string&)>;

    struct Option {
        const char* spec;
        bool takes_value;
        Handler handler;

        std::string shown() const;  // "--output", or "-S"
    };
    // The words of a command line that are still to be read.
    struct Words {
        char** next;
        char** end;

        bool empty() const noexcept { return next == end; }
        std::string_view take() { return *next++; }
    };

    void add(const char* spec, bool takes_value, Handler handler);
    const Option& find_long(std::string_view name) const;
    const Option& find_letter(char letter) const;
    void parse_long(std::string_view word, Words& words);
    void parse_letters(std::string_view letters, Words& words);
    void run_with_value(const Option& option, std::string_view glued, Words& words);

    std::vector<Option> options_;
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
