#include "qbix/name_list.hpp"

#include <algorithm>
#include <bit>

#include "line_reader.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {
namespace {

// Room for blanks before a name and for what --fastq-names drops. A line that is cut here
// can still hold a whole name at its front.
constexpr size_t kMaxLineBytes = 1024;

std::string_view trimmed(std::string_view line, bool exact) {
    if (exact) return line.substr(0, line.find_first_of("\r\t"));
    size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    line.remove_prefix(begin);
    return line.substr(0, line.find_first_of(" \t\r"));
}

}  // namespace

std::string_view clean_fastq_name(std::string_view name) noexcept {
    if (name.starts_with('@')) name.remove_prefix(1);
    if (name.ends_with("/1") || name.ends_with("/2")) name.remove_suffix(2);
    return name;
}

struct NameReader::State {
    LineReader lines;
    NameListFormat format;
    uint64_t n_too_long = 0;
    uint64_t first_too_long_line = 0;
};

NameReader::NameReader(const std::string& path, NameListFormat format)
    : state_(new State{{path, kMaxLineBytes}, format}) {}
NameReader::~NameReader() = default;

bool NameReader::next(std::string_view& name) {
    LineReader::Line line;
    while (state_->lines.next(line)) {
        name = trimmed(line.text, state_->format.exact_lines);
        if (state_->format.fastq_names) name = clean_fastq_name(name);
        if (name.size() > kMaxNameBytes || (name.empty() && line.is_cut)) {
            if (state_->n_too_long++ == 0)
                state_->first_too_long_line = state_->lines.line_number();
        } else if (!name.empty()) {
            return true;
        }
    }
    return false;
}

uint64_t NameReader::n_too_long() const noexcept { return state_->n_too_long; }
uint64_t NameReader::first_too_long_line() const noexcept { return state_->first_too_long_line; }

// The bytes lie in chunks that never move; a name does not cross from one into the next.
// Slots are 0 (free) or the upper half of the name's hash beside its number + 1. The top
// bits of the hash choose the first slot, so growing needs no look at the names.
struct NameList::State {
    static constexpr size_t kChunkBytes = 1 << 20;

    std::vector<std::unique_ptr<char[]>> chunks;
    size_t chunk_used = 0;         // of the last chunk
    std::vector<uint64_t> places;  // of name i: position in all chunks << 8 | length
    std::vector<uint64_t> slots = std::vector<uint64_t>(64);

    std::string_view name(uint32_t number) const {
        uint64_t position = places[number] >> 8;
        return {chunks[position / kChunkBytes].get() + position % kChunkBytes,
                places[number] & 0xff};
    }

    void append(std::string_view name) {
        if (chunks.empty() || chunk_used + name.size() > kChunkBytes) {
            chunks.push_back(std::make_unique_for_overwrite<char[]>(kChunkBytes));
            chunk_used = 0;
        }
        uint64_t position = (chunks.size() - 1) * kChunkBytes + chunk_used;
        std::copy(name.begin(), name.end(), chunks.back().get() + chunk_used);
        places.push_back(position << 8 | name.size());
        chunk_used += name.size();
    }

    static uint64_t tag_of(std::string_view name) { return hash_name(name).value >> 32 << 32; }

    size_t home_of(uint64_t tag) const { return tag >> (64 - std::bit_width(slots.size() - 1)); }

    // The slot that holds `name`, or the free one where it would go.
    size_t locate(std::string_view name, uint64_t tag) const {
        size_t mask = slots.size() - 1;
        size_t i = home_of(tag);
        for (; slots[i] != 0; i = (i + 1) & mask) {
            uint32_t number = static_cast<uint32_t>(slots[i]) - 1;
            if ((slots[i] ^ tag) >> 32 == 0 && this->name(number) == name) break;
        }
        return i;
    }

    void grow() {
        std::vector<uint64_t> old(slots.size() * 2);
        old.swap(slots);
        size_t mask = slots.size() - 1;
        for (uint64_t slot : old) {
            if (slot == 0) continue;
            size_t i = home_of(slot);
            while (slots[i] != 0) i = (i + 1) & mask;
            slots[i] = slot;
        }
    }
};

NameList::NameList() : state_(new State) {}
NameList::~NameList() = default;
NameList::NameList(NameList&&) noexcept = default;
NameList& NameList::operator=(NameList&&) noexcept = default;

uint32_t NameList::add(std::string_view name) {
    State& s = *state_;
    if (name.size() > kMaxNameBytesWithoutNul)
        throw Error(ErrorCode::kUsage,
                    "no read name has " + std::to_string(name.size()) + " bytes");
    uint64_t tag = State::tag_of(name);
    size_t slot = s.locate(name, tag);
    if (s.slots[slot] != 0) return static_cast<uint32_t>(s.slots[slot]) - 1;
    if (size() >= UINT32_MAX - 1) throw Error(ErrorCode::kUsage, "too many names in the lists");
    s.append(name);
    s.slots[slot] = tag | size();
    if (size() * 10 > s.slots.size() * 7) s.grow();
    return static_cast<uint32_t>(size() - 1);
}

size_t NameList::size() const noexcept { return state_->places.size(); }

std::string_view NameList::name(uint32_t number) const noexcept { return state_->name(number); }

std::optional<uint32_t> NameList::find(std::string_view name) const noexcept {
    const State& s = *state_;
    size_t slot = s.locate(name, State::tag_of(name));
    if (s.slots[slot] == 0) return std::nullopt;
    return static_cast<uint32_t>(s.slots[slot]) - 1;
}

}  // namespace qbix
