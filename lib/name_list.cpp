#include "qbix/name_list.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "line_buffer.hpp"
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

// Zeros at first. In huge pages once it is large: nearly every look misses the caches, and in
// small pages the TLB as well.
class SlotTable {
   public:
    explicit SlotTable(size_t n) : bytes_(n * sizeof(uint64_t), true), n_(n) {
        std::memset(bytes_.data(), 0, n * sizeof(uint64_t));
    }
    size_t size() const noexcept { return n_; }
    uint64_t& operator[](size_t i) noexcept { return begin()[i]; }
    const uint64_t& operator[](size_t i) const noexcept { return begin()[i]; }
    uint64_t* begin() const noexcept { return reinterpret_cast<uint64_t*>(bytes_.data()); }
    uint64_t* end() const noexcept { return begin() + n_; }

   private:
    LineBuffer bytes_;
    size_t n_;
};

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
    static constexpr size_t kChunkBytes = 2 << 20;
    static constexpr size_t kSlotsPerFilterWord = 8;

    std::vector<LineBuffer> chunks;  // all but the first in huge pages
    size_t chunk_used = 0;           // of the last chunk
    std::vector<uint64_t> places;    // of name i: position in all chunks << 8 | length
    SlotTable slots = SlotTable(64);
    // Eight bits a slot, in the order of tags; one is set for each name. Small enough to stay
    // in the caches, it answers most questions for names that are not in the list.
    SlotTable filter = SlotTable(64 / kSlotsPerFilterWord);

    char* chunk(size_t i) const { return reinterpret_cast<char*>(chunks[i].data()); }

    std::string_view name(uint32_t number) const {
        uint64_t position = places[number] >> 8;
        return {chunk(position / kChunkBytes) + position % kChunkBytes, places[number] & 0xff};
    }

    void append(std::string_view name) {
        if (chunks.empty() || chunk_used + name.size() > kChunkBytes) {
            chunks.emplace_back(kChunkBytes, !chunks.empty());
            chunk_used = 0;
        }
        uint64_t position = (chunks.size() - 1) * kChunkBytes + chunk_used;
        std::copy(name.begin(), name.end(), chunk(chunks.size() - 1) + chunk_used);
        places.push_back(position << 8 | name.size());
        chunk_used += name.size();
    }

    static uint64_t tag_of(std::string_view name) { return hash_name(name).value >> 32 << 32; }

    size_t home_of(uint64_t tag) const { return tag >> (64 - std::bit_width(slots.size() - 1)); }

    uint64_t filter_bit(uint64_t tag) const {
        return tag >> (61 - std::bit_width(slots.size() - 1));
    }
    bool may_have(uint64_t tag) const {
        const uint64_t bit = filter_bit(tag);
        return filter[bit / 64] >> bit % 64 & 1;
    }
    void add_to_filter(uint64_t tag) {
        const uint64_t bit = filter_bit(tag);
        filter[bit / 64] |= uint64_t{1} << bit % 64;
    }

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

    // Each step takes all names, and prefetches what the next one reads.
    // REQUIRES: at most kMostAtOnce names.
    static constexpr size_t kMostAtOnce = 32;
    void prefetch(std::span<const std::string_view> names) const {
        uint64_t tags[kMostAtOnce];
        uint32_t numbers[kMostAtOnce];
        size_t n_likely = 0, n_known = 0;
        for (const std::string_view asked : names) {
            tags[n_likely] = tag_of(asked);
            __builtin_prefetch(&slots[home_of(tags[n_likely])]);
            n_likely += may_have(tags[n_likely]);
        }
        for (size_t i = 0; i < n_likely; ++i) {
            const uint64_t slot = first_alike(tags[i]);
            if (slot == 0) continue;
            numbers[n_known++] = static_cast<uint32_t>(slot) - 1;
            __builtin_prefetch(&places[numbers[n_known - 1]]);
        }
        for (size_t i = 0; i < n_known; ++i) __builtin_prefetch(name(numbers[i]).data());
    }

    // The first slot with this tag, or 0.
    uint64_t first_alike(uint64_t tag) const {
        const size_t mask = slots.size() - 1;
        size_t i = home_of(tag);
        while (slots[i] != 0 && (slots[i] ^ tag) >> 32 != 0) i = (i + 1) & mask;
        return slots[i];
    }

    void grow() {
        SlotTable old(slots.size() * 2);
        std::swap(old, slots);
        filter = SlotTable(slots.size() / kSlotsPerFilterWord);
        size_t mask = slots.size() - 1;
        for (uint64_t slot : old) {
            if (slot == 0) continue;
            add_to_filter(slot >> 32 << 32);
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
    s.add_to_filter(tag);
    if (size() * 10 > s.slots.size() * 7) s.grow();
    return static_cast<uint32_t>(size() - 1);
}

size_t NameList::size() const noexcept { return state_->places.size(); }

std::string_view NameList::name(uint32_t number) const noexcept { return state_->name(number); }

void NameList::prefetch(std::span<const std::string_view> names) const noexcept {
    constexpr size_t kSlotsOfSmallList = 8 << 10;  // all of it is in the caches
    if (state_->slots.size() <= kSlotsOfSmallList) return;
    while (!names.empty()) {
        const size_t n = std::min(names.size(), State::kMostAtOnce);
        state_->prefetch(names.first(n));
        names = names.subspan(n);
    }
}

std::optional<uint32_t> NameList::find(std::string_view name) const noexcept {
    const State& s = *state_;
    const uint64_t tag = State::tag_of(name);
    if (!s.may_have(tag)) return std::nullopt;
    const size_t slot = s.locate(name, tag);
    if (s.slots[slot] == 0) return std::nullopt;
    return static_cast<uint32_t>(s.slots[slot]) - 1;
}

}  // namespace qbix
