#include "tag_edit.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace qbix::cli {
namespace {

void add_tags(const std::string& text, std::unordered_set<std::string>& tags) {
    size_t begin = 0;
    while (begin < text.size()) {
        size_t end = std::min(text.find(',', begin), text.size());
        if (end - begin != 2)
            throw UsageError("tags have two characters, \"" + text.substr(begin, end - begin) +
                             "\" has not");
        tags.insert(text.substr(begin, 2));
        begin = end + 1;
    }
}

size_t width_of(uint8_t type) {
    switch (type) {
        case 'A':
        case 'c':
        case 'C':
            return 1;
        case 's':
        case 'S':
            return 2;
        case 'i':
        case 'I':
        case 'f':
            return 4;
        case 'd':
            return 8;
        default:
            return 0;
    }
}

// Bytes from `tag`, its name included, to the next one; 0 when damaged.
size_t tag_size(const uint8_t* tag, const uint8_t* end) {
    const size_t n_left = static_cast<size_t>(end - tag);
    if (n_left < 4) return 0;
    size_t size = 0;
    if (tag[2] == 'Z' || tag[2] == 'H') {
        const void* nul = memchr(tag + 3, 0, n_left - 3);
        size = nul ? static_cast<const uint8_t*>(nul) + 1 - tag : 0;
    } else if (tag[2] == 'B' && n_left >= 8) {
        uint32_t n_values;
        memcpy(&n_values, tag + 4, sizeof n_values);
        size = width_of(tag[3]) ? 8 + width_of(tag[3]) * n_values : 0;
    } else if (width_of(tag[2])) {
        size = 3 + width_of(tag[2]);
    }
    return size <= n_left ? size : 0;
}

}  // namespace

void TagEdit::add_to(Options& options) {
    options.value("remove-tag,x", [this](const std::string& text) { add_removed(text); });
    options.value("keep-tag", [this](const std::string& text) { add_kept(text); });
}

// "^" in front: all but these are removed.
void TagEdit::add_removed(const std::string& text) {
    if (text.starts_with('^'))
        add_kept(text.substr(1));
    else
        add_tags(text, removed_);
}

void TagEdit::add_kept(const std::string& text) {
    if (!kept_) kept_.emplace();
    add_tags(text, *kept_);
}

// Closes the gaps in one pass over the tags.
void TagEdit::apply(bam1_t* record) const {
    uint8_t* from = bam_get_aux(record);
    uint8_t* const end = record->data + record->l_data;
    uint8_t* to = from;
    while (from < end) {
        const size_t size = tag_size(from, end);
        if (size == 0)
            throw std::runtime_error(std::string("the tags of the record \"") +
                                     bam_get_qname(record) + "\" are damaged");
        const std::string name(reinterpret_cast<const char*>(from), 2);
        if (kept_ ? kept_->count(name) > 0 : removed_.count(name) == 0) {
            memmove(to, from, size);
            to += size;
        }
        from += size;
    }
    record->l_data = static_cast<int>(to - record->data);
}

}  // namespace qbix::cli
