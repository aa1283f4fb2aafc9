// tag_edit.hpp: tags that are left out of what is written.
#pragma once

#include <htslib/sam.h>

#include <optional>
#include <string>
#include <unordered_set>

#include "options.hpp"

namespace qbix::cli {

class TagEdit {
   public:
    void add_to(Options& options);  // -x/--remove-tag, --keep-tag

    bool is_empty() const { return removed_.empty() && !kept_; }

    // Throws std::runtime_error on a record whose tags are damaged.
    void apply(bam1_t* record) const;

   private:
    void add_removed(const std::string& text);
    void add_kept(const std::string& text);

    std::unordered_set<std::string> removed_;
    std::optional<std::unordered_set<std::string>> kept_;  // has precedence
};

}  // namespace qbix::cli
