#include "name_selection.hpp"

#include <optional>
#include <utility>

#include "missing_names.hpp"

namespace qbix::cli {
namespace {

void merge_bits(const std::vector<bool>& from, std::vector<bool>& to) {
    to.resize(std::max(to.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i]) to[i] = true;
}

}  // namespace

void NameArguments::add_to(Options& options) {
    options.list("qname-file,N", files);
    options.list("qname", names);
    options.flag("exact-lines", format.exact_lines);
    options.flag("fastq-names", format.fastq_names);
    options.value("missing", missing_path);
    options.flag("require-all", require_all);
}

NameSelection::NameSelection(const NameArguments& arguments, const char* command)
    : command_(command),
      missing_path_(arguments.missing_path),
      require_all_(arguments.require_all) {
    for (const std::string& path : arguments.files) {
        if (path.starts_with('^')) {
            read_list(path.substr(1), arguments.format, excluded_);
            continue;
        }
        read_list(path, arguments.format, names_);
        has_list_ = true;
    }
    for (const std::string& name : arguments.names) {
        if (name.empty()) throw UsageError("--qname takes a read name, not nothing");
        if (name.size() > kMaxNameBytes)
            throw UsageError("a read name has at most " + std::to_string(kMaxNameBytes) +
                             " bytes; this one has " + std::to_string(name.size()) + ": " +
                             name.substr(0, 40) + "...");
        names_.add(name);
        has_list_ = true;
    }
    is_reported_ = has_list_;
    total_ = new_tally();
}

NameSelection::NameSelection(NameList names) : has_list_(true), names_(std::move(names)) {
    total_ = new_tally();
}

void NameSelection::read_list(const std::string& path, const NameListFormat& format,
                              NameList& names) {
    NameReader reader(path, format);
    for (std::string_view name; reader.next(name);) names.add(name);
    warn_of_long_lines(reader, path, command_);
    if (&names == &names_) n_too_long_ += reader.n_too_long();
}

NameSelection::Tally NameSelection::new_tally() const {
    return {std::vector<bool>(names_.size()), std::vector<bool>(cleaned_.size()), 0};
}

void NameSelection::merge(const Tally& tally) {
    merge_bits(tally.is_found, total_.is_found);
    merge_bits(tally.is_cleaned, total_.is_cleaned);
    total_.n_records += tally.n_records;
}

bool NameSelection::takes(std::string_view qname, Tally& tally) const {
    if (has_list_) {
        const std::optional<uint32_t> name = names_.find(qname);
        if (name) {
            tally.is_found[*name] = true;
            ++tally.n_records;
        } else {
            if (cleaned_.empty()) return false;
            const std::optional<uint32_t> cleaned = cleaned_.find(qname);
            if (cleaned) tally.is_cleaned[*cleaned] = true;
            return false;
        }
    }
    return excluded_.empty() || !excluded_.find(qname);
}

void NameSelection::watch_cleaned_names() {
    for (uint32_t i = 0; i < names_.size(); ++i) {
        const std::string_view cleaned = clean_fastq_name(names_.name(i));
        if (cleaned != names_.name(i)) cleaned_.add(cleaned);
    }
}

bool NameSelection::saw_cleaned_name(std::string_view name) const {
    const std::optional<uint32_t> cleaned = cleaned_.find(name);
    return cleaned && *cleaned < total_.is_cleaned.size() && total_.is_cleaned[*cleaned];
}

int NameSelection::report(const std::function<bool(std::string_view)>& has_name) const {
    if (!is_reported_) return 0;
    MissingNames missing(command_, missing_path_);
    for (uint32_t i = 0; i < names_.size(); ++i) {
        const std::string_view name = names_.name(i);
        missing.count_name(name, total_.is_found[i]);
        if (total_.is_found[i]) continue;
        const std::string_view cleaned = clean_fastq_name(name);
        if (cleaned != name && !names_.find(cleaned) && has_name(cleaned))
            missing.count_found_if_cleaned();
    }
    missing.count_records(total_.n_records);
    missing.count_too_long(n_too_long_);
    return !missing.finish() && require_all_ ? 1 : 0;
}

}  // namespace qbix::cli
