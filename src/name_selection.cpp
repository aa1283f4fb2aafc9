#include "name_selection.hpp"

#include <string_view>

#include "missing_names.hpp"

namespace qbix::cli {

void NameArguments::add_to(Options& options) {
    options.list("qname-file,N", files);
    options.list("qname", names);
    options.flag("exact-lines", format.exact_lines);
    options.flag("fastq-names", format.fastq_names);
    options.value("missing", missing_path);
    options.flag("require-all", require_all);
}

NameSelection::NameSelection(const NameArguments& arguments, const char* command)
    : arguments_(arguments), command_(command) {
    for (const std::string& path : arguments.files) {
        NameReader reader(path, arguments.format);
        for (std::string_view name; reader.next(name);) names_.add(name);
        warn_of_long_lines(reader, path, command);
        n_too_long_ += reader.n_too_long();
    }
    for (const std::string& name : arguments.names) {
        if (name.empty()) throw UsageError("--qname takes a read name, not nothing");
        names_.add(name);
    }
    is_found_.resize(names_.size());
}

int NameSelection::report(const std::function<bool(std::string_view)>& has_name) const {
    MissingNames missing(command_, arguments_.missing_path);
    for (uint32_t i = 0; i < names_.size(); ++i) {
        std::string_view name = names_.name(i);
        missing.count_name(name, is_found_[i]);
        std::string_view cleaned = clean_fastq_name(name);
        if (!is_found_[i] && cleaned != name && !names_.find(cleaned) && has_name(cleaned))
            missing.count_found_if_cleaned();
    }
    missing.count_records(n_records_);
    missing.count_too_long(n_too_long_);
    return !missing.finish() && arguments_.require_all ? 1 : 0;
}

}  // namespace qbix::cli
