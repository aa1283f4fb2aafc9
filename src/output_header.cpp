#include "output_header.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "version.hpp"

namespace qbix::cli {
namespace {

std::string typed_command_line;

// Blanks between arguments; what would break a header line becomes a blank.
std::string joined(int argc, char** argv) {
    std::string line;
    for (int i = 0; i < argc; ++i) {
        if (i) line += ' ';
        for (const char* c = argv[i]; *c; ++c)
            line += *c == '\t' || *c == '\n' || *c == '\r' ? ' ' : *c;
    }
    return line;
}

}  // namespace

Header duplicate_header(const sam_hdr_t* header) {
    Header copy(sam_hdr_dup(header));
    if (!copy) throw std::bad_alloc();
    return copy;
}

void add_program_line(sam_hdr_t* header, int argc, char** argv) {
    std::string line = typed_command_line.empty() ? joined(argc, argv) : typed_command_line;
    if (sam_hdr_add_pg(header, "qbix", "VN", version(), "CL", line.c_str(), nullptr) != 0)
        throw std::runtime_error("failed to add a @PG line to the header");
}

void set_typed_command_line(int argc, char** argv) { typed_command_line = joined(argc, argv); }

void mark_unsorted(sam_hdr_t* header) {
    // -1 means that there is no @HD line, and so no claim to take back.
    if (sam_hdr_count_lines(header, "HD") < 1) return;
    if (sam_hdr_update_hd(header, "SO", "unsorted") != 0 ||
        sam_hdr_remove_tag_hd(header, "GO") < 0 || sam_hdr_remove_tag_hd(header, "SS") < 0)
        throw std::runtime_error("failed to edit the @HD line of the header");
}

void prune_read_groups(sam_hdr_t* header, const std::function<bool(const std::string&)>& is_kept) {
    std::vector<std::string> dropped;
    const int n_groups = sam_hdr_count_lines(header, "RG");
    for (int i = 0; i < n_groups; ++i) {
        const char* id = sam_hdr_line_name(header, "RG", i);
        if (id && !is_kept(id)) dropped.push_back(id);
    }
    for (const std::string& id : dropped)
        if (sam_hdr_remove_line_id(header, "RG", "ID", id.c_str()) != 0)
            throw std::runtime_error("failed to remove a @RG line of the header");
}

}  // namespace qbix::cli
