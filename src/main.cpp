// qbix: one program, many commands. "qbix view" and a link named qbix-view are the same.
#include <htslib/hts.h>
#include <csignal>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "commands.hpp"
#include "output_header.hpp"
#include "version.hpp"

namespace {

using namespace qbix::cli;

struct Command {
    std::string_view name;
    int (*run)(int argc, char** argv);
    const char* summary;  // nullptr for another spelling of the command above
};

constexpr Command kCommands[] = {
    {"index", main_index, "index a BAM by read name"},
    {"view", main_view, "records by name, as samtools view -N prints them"},
    {"get", main_get, "records of the names on the command line"},
    {"check", main_check, "does the index belong to the BAM, is it whole"},
    {"stats", main_stats, "counts and sizes of an index"},
    {"stat", main_stats, nullptr},
    {"show", main_show, "the rows of an index as text"},
    {"write", main_write, "SAM, BAM or CRAM to BAM on many threads, with indexes"},
    {"digest", main_digest, "do files hold the same records in the same order"},
};

const Command* find_command(std::string_view name) {
    for (const Command& command : kCommands)
        if (command.name == name) return &command;
    return nullptr;
}

void print_usage(FILE* out) {
    fprintf(out,
            "\n"
            "Program: qbix (reads of a BAM file by name)\n"
            "Version: %s (using htslib %s)\n"
            "\n"
            "Usage:   qbix <command> [options]\n"
            "\n"
            "Commands:\n",
            version(), hts_version());
    for (const Command& command : kCommands)
        if (command.summary) fprintf(out, "  %-12s %s\n", command.name.data(), command.summary);
    fprintf(out,
            "  %-12s usage of a command\n"
            "  %-12s version and how it was compiled\n"
            "\n",
            "help [cmd]", "version");
}

int help(int argc, char** argv) {
    if (argc < 3) {
        print_usage(stdout);
        return 0;
    }
    const Command* command = find_command(argv[2]);
    if (!command) {
        fprintf(stderr, "[main] unrecognized command '%s'\n", argv[2]);
        return 1;
    }
    char help_option[] = "--help";
    char* help_argv[] = {argv[2], help_option, nullptr};
    return command->run(2, help_argv);
}

int dispatch(int argc, char** argv) {
    if (argc < 2) {
        print_usage(stderr);
        return 1;
    }
    std::string_view name = argv[1];
    if (name == "help" || name == "--help" || name == "-h" || name == "-?") return help(argc, argv);
    if (name == "version" || name == "--version") {
        print_version();
        return 0;
    }
    if (name == "--version-only") {
        print_version_only();
        return 0;
    }
    if (const Command* command = find_command(name)) return command->run(argc - 1, argv + 1);
    fprintf(stderr, "[main] unrecognized command '%s'\n", argv[1]);
    return 1;
}

// The command that the name of the program stands for: that of ".../qbix-view" is "view".
const Command* command_of_program(const char* path) {
    std::string_view name = path;
    name.remove_prefix(name.rfind('/') + 1);
    constexpr std::string_view prefix = "qbix-";
    return name.starts_with(prefix) ? find_command(name.substr(prefix.size())) : nullptr;
}

// Output that waits in a buffer is lost if closing fails. EBADF: a command closed it itself,
// or it was never open.
int close_stdout(int exit_code) {
    if (fclose(stdout) == 0 || errno == EBADF) return exit_code;
    fprintf(stderr, "qbix: closing standard output failed: %s\n", strerror(errno));
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    set_typed_command_line(argc, argv);
    // A file-size limit is then a write error like any other, told and cleaned up after.
    std::signal(SIGXFSZ, SIG_IGN);
    const Command* command = argc > 0 ? command_of_program(argv[0]) : nullptr;
    return close_stdout(command ? command->run(argc, argv) : dispatch(argc, argv));
}
