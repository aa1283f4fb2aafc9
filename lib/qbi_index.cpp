#include "qbix/qbi_index.hpp"

#include <algorithm>
#include <array>

#include "format_qbi1.hpp"
#include "index_errors.hpp"
#include "qbi_state.hpp"

namespace qbix {
namespace {

void open_qbi1(QbiIndex::State& state, std::span<const uint8_t> file_start) {
    const qbi1::Head head = qbi1::decode_head(file_start, state.bytes.size_bytes(), state.path);
    state.format = IndexFormat::kQbi1;
    state.bam = head.bam;
    state.n_rows = head.n_rows;
    state.lookup = make_qbi1_lookup(state.bytes, head.n_rows);
}

void open_qbi2(QbiIndex::State& state, std::span<const uint8_t> file_start) {
    const auto [layout, bam] = qbi2::decode_head(file_start, state.bytes.size_bytes(), state.path);
    const IndexBytes& bytes = state.bytes;
    const qbi2::Edges edges{
        .first_word = bytes.read_u64(layout.word_place(0)),
        .last_word = bytes.read_u64(layout.word_place(layout.n_words - 1)),
        .first_rank = bytes.read_u64(layout.rank_place(0)),
        .last_rank = bytes.read_u64(layout.rank_place(layout.n_rank - 1)),
        .first_radix = bytes.read_u64(layout.radix_place(0)),
        .last_radix = bytes.read_u64(layout.radix_place(layout.n_radix - 1)),
    };
    qbi2::check_edges(layout, edges, state.path);
    state.format = IndexFormat::kQbi2;
    state.bam = bam;
    state.n_rows = layout.n_rows;
    state.layout = layout;
    state.lookup = make_qbi2_lookup(bytes, state.path, layout);
}

std::unique_ptr<const QbiIndex::State> open_index(const std::string& path, IndexBytes&& opened) {
    auto state = std::make_unique<QbiIndex::State>(path, std::move(opened));
    std::array<uint8_t, std::max(qbi1::kHeadBytes, qbi2::kHeadBytes)> buffer;
    const std::span file_start(buffer.data(),
                               std::min<uint64_t>(buffer.size(), state->bytes.size_bytes()));
    state->bytes.read(0, file_start);
    if (qbi1::has_magic(file_start)) {
        open_qbi1(*state, file_start);
    } else if (qbi2::has_magic(file_start)) {
        open_qbi2(*state, file_start);
    } else {
        throw_not_index(path, "it does not begin with QBI1 or QBI2");
    }
    return state;
}

uint64_t size_or_throw(std::optional<uint64_t> size_bytes) {
    if (!size_bytes) throw Error(ErrorCode::kUsage, "no index can have that many records");
    return *size_bytes;
}

}  // namespace

QbiIndex::QbiIndex(const std::string& path) : QbiIndex(path, IndexBytes(path)) {}
QbiIndex::QbiIndex(const std::string& path, IndexBytes&& opened)
    : state_(open_index(path, std::move(opened))) {}
QbiIndex::~QbiIndex() = default;

const std::string& QbiIndex::path() const noexcept { return state_->path; }
IndexFormat QbiIndex::format() const noexcept { return state_->format; }
int QbiIndex::radix_bits() const noexcept { return state_->layout.radix_bits; }
uint64_t QbiIndex::size_bytes() const noexcept { return state_->bytes.size_bytes(); }
uint64_t QbiIndex::record_count() const noexcept { return state_->n_rows; }
const BamIdentity& QbiIndex::bam_identity() const noexcept { return state_->bam; }

std::optional<uint64_t> QbiIndex::unique_hash_count() const noexcept {
    if (state_->format == IndexFormat::kQbi1) return std::nullopt;
    return state_->layout.n_unique;
}

RowRange QbiIndex::find(NameHash hash) const { return state_->lookup->find(hash); }

void QbiIndex::find_batch(std::span<const NameHash> hashes, std::span<RowRange> out) const {
    state_->lookup->find_batch(hashes, out);
}

void QbiIndex::read_voffsets(RowRange rows, std::vector<VirtualOffset>& out) const {
    state_->lookup->read_voffsets(rows, out);
}

void QbiIndex::find_places(NameHash hash, std::vector<RecordPlace>& places) const {
    std::vector<VirtualOffset> voffsets;
    read_voffsets(find(hash), voffsets);
    for (const VirtualOffset voffset : voffsets) places.push_back({voffset, 0});
}

void QbiIndex::find_places_batch(std::span<const NameHash> hashes, PlaceGroups& found) const {
    std::vector<RowRange> rows(hashes.size());
    find_batch(hashes, rows);
    found.begins.assign(1, 0);
    found.places.clear();
    std::vector<VirtualOffset> voffsets;
    for (const RowRange range : rows) {
        voffsets.clear();
        if (!range.empty()) read_voffsets(range, voffsets);
        for (const VirtualOffset voffset : voffsets) found.places.push_back({voffset, 0});
        found.begins.push_back(found.places.size());
    }
}

void QbiIndex::visit_names(const std::function<void(uint64_t)>& visit) const {
    constexpr size_t kBatchGroups = 1024;
    GroupCursor cursor(*this);
    std::vector<HashGroup> groups(kBatchGroups);
    while (const size_t n = cursor.next(groups))
        for (size_t i = 0; i < n; ++i) visit(groups[i].rows.size());
}

IndexRow QbiIndex::row_at(uint64_t row) const {
    if (state_->format == IndexFormat::kQbi1) {
        uint8_t bytes[qbi1::kRowBytes];
        state_->bytes.read(qbi1::row_place(row), bytes);
        return load_le<IndexRow>(bytes);
    }
    return {hash_of_group(*state_, group_of_row(*state_, row)),
            {state_->bytes.read_u64(state_->layout.offset_place(row))}};
}

void QbiIndex::validate() const {
    if (state_->format == IndexFormat::kQbi1) {
        validate_qbi1(*state_);
    } else {
        validate_qbi2(*state_);
    }
}

uint64_t qbi1_size_bytes(uint64_t n_records) {
    return size_or_throw(qbi1::file_size_bytes(n_records));
}

uint64_t qbi2_size_bytes(uint64_t n_records, uint64_t n_unique, int radix_bits) {
    const auto layout = qbi2::make_layout(n_records, n_unique, radix_bits);
    return size_or_throw(layout ? std::optional(layout->file_size_bytes) : std::nullopt);
}

}  // namespace qbix
