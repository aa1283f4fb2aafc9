#include "chunk_source.hpp"

#include "local_path.hpp"

namespace qbix {

ChunkSource::ChunkSource(std::string path, uint64_t first_coffset)
    : path_(std::move(path)), first_coffset_(first_coffset) {
    if (!local_path(path_)) shared_ = std::make_unique<ByteReader>(path_);
}

ChunkSource::Reader::Reader(ChunkSource& source) : source_(source) {
    if (!source_.shared_) own_ = std::make_unique<ByteReader>(source_.path_);
}

void ChunkSource::Reader::next(std::span<uint8_t> out, Claim& claim) {
    claim.n_bytes = 0;
    if (own_) {
        claim.number = source_.next_.fetch_add(1, std::memory_order_relaxed);
        claim.n_bytes = own_->read_at(source_.coffset_of(claim.number), out);
        return;
    }
    const std::lock_guard lock(source_.shared_mutex_);
    claim.number = source_.next_.fetch_add(1, std::memory_order_relaxed);
    claim.n_bytes = source_.shared_->read_at(source_.coffset_of(claim.number), out);
}

}  // namespace qbix
