#include "qbix/record_filter.hpp"

#include <htslib/khash.h>
#include <htslib/sam.h>
extern "C" {
#include <htslib/hts_expr.h>  // without linkage of its own before htslib 1.17
}

#include <cinttypes>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "hts_handles.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

struct FilterDeleter {
    void operator()(hts_filter_t* filter) const noexcept { hts_filter_free(filter); }
};
using FilterPtr = std::unique_ptr<hts_filter_t, FilterDeleter>;

// Read group -> library, of all @RG lines that have both.
std::unordered_map<std::string, std::string> libraries_of(const sam_hdr_t* header) {
    const SamHdrPtr parsed(sam_hdr_dup(header));
    std::unordered_map<std::string, std::string> libraries;
    kstring_t library = KS_INITIALIZE;
    const int n_groups = parsed ? sam_hdr_count_lines(parsed.get(), "RG") : 0;
    for (int i = 0; i < n_groups; ++i) {
        const char* id = sam_hdr_line_name(parsed.get(), "RG", i);
        if (id && sam_hdr_find_tag_id(parsed.get(), "RG", "ID", id, "LB", &library) == 0)
            libraries.emplace(id, library.s);
    }
    ks_free(&library);
    return libraries;
}

// CIGAR operations that consume the query, and hard clips.
int64_t query_length(const bam1_t* record) {
    int64_t length = 0;
    const uint32_t* cigar = bam_get_cigar(record);
    for (uint32_t i = 0; i < record->core.n_cigar; ++i) {
        const int op = bam_cigar_op(cigar[i]);
        if (bam_cigar_type(op) & 1 || op == BAM_CHARD_CLIP) length += bam_cigar_oplen(cigar[i]);
    }
    return length;
}

// The text of a tag's value as -d compares it; nullopt for types that are not compared.
std::optional<std::string> comparable_text(const uint8_t* tag) {
    switch (*tag) {
        case 'c':
        case 'C':
        case 's':
        case 'S':
        case 'i':
        case 'I':
            return std::to_string(bam_aux2i(tag));
        case 'A':
            return std::string(1, static_cast<char>(tag[1]));
        case 'Z':
        case 'H':
            return std::string(reinterpret_cast<const char*>(tag + 1));
        default:
            return std::nullopt;
    }
}

}  // namespace

bool FilterSpec::is_empty() const {
    return all_flags == 0 && no_flags == 0 && any_flags == 0 && not_all_flags == 0 &&
           min_mapq <= 0 && min_query_length <= 0 && !library && !read_groups && ungrouped_pass &&
           !tag && subsample_fraction <= 0 && expression.empty();
}

struct RecordFilter::State {
    FilterSpec spec;
    std::unordered_map<std::string, std::string> libraries;
    FilterPtr expression;

    bool passes_fixed_fields(const bam1_core_t& core) const {
        const unsigned flag = core.flag;
        return (flag & spec.all_flags) == spec.all_flags && (flag & spec.no_flags) == 0 &&
               (spec.any_flags == 0 || flag & spec.any_flags) &&
               (spec.not_all_flags == 0 || (flag & spec.not_all_flags) != spec.not_all_flags) &&
               core.qual >= spec.min_mapq;
    }

    bool passes_subsample(const bam1_t* record) const {
        const uint32_t hash =
            __ac_Wang_hash(__ac_X31_hash_string(bam_get_qname(record)) ^ spec.subsample_seed);
        return (hash & 0xffffff) / double{0x1000000} < spec.subsample_fraction;
    }

    bool passes_read_group(const bam1_t* record) const {
        const uint8_t* rg = bam_aux_get(record, "RG");
        if (!rg) return spec.ungrouped_pass;
        if (!spec.read_groups) return true;
        const char* name = *rg == 'Z' || *rg == 'H' ? bam_aux2Z(rg) : "";
        return spec.read_groups->count(name) != spec.read_groups_are_excluded;
    }

    bool passes_library(const bam1_t* record) const {
        const uint8_t* rg = bam_aux_get(record, "RG");
        if (!rg || *rg != 'Z') return false;
        const auto found = libraries.find(bam_aux2Z(rg));
        return found != libraries.end() && found->second == *spec.library;
    }

    bool passes_tag(const bam1_t* record) const {
        const uint8_t* value = bam_aux_get(record, spec.tag->tag.c_str());
        if (!value) return false;
        if (!spec.tag->values) return true;
        const auto text = comparable_text(value);
        return text && spec.tag->values->count(*text) > 0;
    }

    bool passes_expression(const bam1_t* record, const sam_hdr_t* header) {
        const int status = sam_passes_filter(header, record, expression.get());
        if (status < 0)
            throw Error(ErrorCode::kUsage, "the expression \"" + spec.expression +
                                               "\" cannot be evaluated on the record \"" +
                                               bam_get_qname(record) + "\"");
        return status > 0;
    }
};

RecordFilter::RecordFilter(const FilterSpec& spec, const sam_hdr_t* header)
    : state_(std::make_unique<State>()) {
    state_->spec = spec;
    if (spec.library) state_->libraries = libraries_of(header);
    if (spec.expression.empty()) return;
    state_->expression.reset(hts_filter_init(spec.expression.c_str()));
    if (!state_->expression)
        throw Error(ErrorCode::kUsage,
                    "the expression \"" + spec.expression + "\" cannot be parsed");
}

RecordFilter::~RecordFilter() = default;

bool RecordFilter::passes(const bam1_t* record, const sam_hdr_t* header) {
    State& s = *state_;
    const FilterSpec& spec = s.spec;
    return s.passes_fixed_fields(record->core) &&
           (spec.min_query_length <= 0 || query_length(record) >= spec.min_query_length) &&
           (spec.subsample_fraction <= 0 || s.passes_subsample(record)) &&
           ((!spec.read_groups && spec.ungrouped_pass) || s.passes_read_group(record)) &&
           (!spec.tag || s.passes_tag(record)) && (!spec.library || s.passes_library(record)) &&
           (!s.expression || s.passes_expression(record, header));
}

}  // namespace qbix
