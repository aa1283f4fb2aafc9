#include "qbix/qbx_index.hpp"

#include "index_errors.hpp"
#include "qbx_identity.hpp"
#include "qbx_state.hpp"

namespace qbix {
namespace {

std::unique_ptr<QbxSection> open_section(const QbxFile& file, qbx::Kind kind, bool preload) {
    auto section = file.open_section(kind);
    if (!section)
        throw_not_index(file.path(),
                        "it has no section " + qbx::SectionEntry{kind, true, {}}.name());
    if (preload) section->preload();
    return section;
}

}  // namespace

QbxIndex::State::State(const std::string& path, IndexBytes&& opened, bool preload)
    : file(path, std::move(opened)),
      blocks_section(open_section(file, qbx::Kind::kBlocks, preload)),
      names_section(open_section(file, qbx::Kind::kNames, preload)),
      blocks(*blocks_section),
      names(*names_section) {
    const uint64_t n_records = file.identity().n_records;
    if (blocks.n_records() != n_records || names.n_records() != n_records)
        throw_bad_index(path, "its sections are of different numbers of records");
}

QbxIndex::QbxIndex(const std::string& path, bool preload)
    : QbxIndex(path, IndexBytes(path), preload) {}
QbxIndex::QbxIndex(const std::string& path, IndexBytes&& opened, bool preload)
    : state_(std::make_unique<const State>(path, std::move(opened), preload)) {}
QbxIndex::~QbxIndex() = default;

const std::string& QbxIndex::path() const noexcept { return state_->file.path(); }
uint64_t QbxIndex::size_bytes() const noexcept { return state_->file.size_bytes(); }
uint64_t QbxIndex::record_count() const noexcept { return state_->names.n_records(); }
const BamIdentity& QbxIndex::bam_identity() const noexcept { return state_->file.identity().bam; }
uint64_t QbxIndex::unique_hash_count() const noexcept { return state_->names.n_names(); }
unsigned QbxIndex::remainder_bits() const noexcept { return state_->names.remainder_bits(); }
uint64_t QbxIndex::block_count() const noexcept { return state_->blocks.n_blocks(); }

uint64_t QbxIndex::section_bytes(const std::string& section) const noexcept {
    if (section == "NAME") return state_->names_section->size_bytes();
    if (section == "BLOC") return state_->blocks_section->size_bytes();
    return 0;
}

bool QbxIndex::has_name(NameHash hash) const {
    std::vector<uint64_t> ordinals;
    state_->names.find(hash, ordinals);
    return !ordinals.empty();
}

void QbxIndex::find_places(NameHash hash, std::vector<RecordPlace>& places) const {
    std::vector<uint64_t> ordinals;
    state_->names.find(hash, ordinals);
    const size_t n_before = places.size();
    places.resize(n_before + ordinals.size());
    state_->blocks.places_of(ordinals, std::span(places).subspan(n_before));
}

void QbxIndex::find_places_batch(std::span<const NameHash> hashes, PlaceGroups& found) const {
    OrdinalGroups groups;
    state_->names.find_batch(hashes, groups);
    found.begins.assign(groups.begins.begin(), groups.begins.end());
    found.places.resize(groups.ordinals.size());
    state_->blocks.places_of(groups.ordinals, found.places);
}

bool QbxIndex::matches(NameHash asked, NameHash found) const {
    return state_->names.matches(asked, found);
}

void QbxIndex::visit_names(const std::function<void(uint64_t)>& visit) const {
    state_->names.walk([&visit](const QbxNames::Name& name) { visit(name.n_records); });
}

void QbxIndex::check_belongs(const BamFile& bam) const {
    check_identity(state_->file.identity(), bam, path());
}

void QbxIndex::walk(const std::function<void(const Name&)>& visit) const {
    state_->names.walk([&visit](const QbxNames::Name& name) {
        visit({name.region, name.place.line, name.place.remainder, name.first_ordinal,
               name.n_records});
    });
}

RecordPlace QbxIndex::place_of(uint64_t ordinal) const { return state_->blocks.place_of(ordinal); }

}  // namespace qbix
