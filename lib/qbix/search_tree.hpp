// qbix/search_tree.hpp: a static search tree over sorted unique 64-bit keys.
//
// Predecessor search and membership at about the speed of fetching the cache line that
// holds the answer. Needs nothing else of qbix and nothing of genomics.
//
// After the S+ tree of Sergey Slotin's "Algorithmica" and Ragnar Groot Koerkamp's "Static
// search trees: 40x faster than binary search"; the code and the directory are our own.
//
// What: all keys lie, in order, in leaves of 8: one 64-byte cache line each. A search is
//   steps from line to line, each ending in one vector comparison. Above the leaves is one
//   of two things, chosen when the tree is built:
//   - levels of 9-ary nodes of 8 keys (the greatest key of each child but the last): any keys;
//   - a directory of one level, where the keys are spread evenly enough (hashes, most ids,
//     record ordinals, file offsets): a key's place between the least and the greatest key
//     says which line, and 16 bits of each leaf's greatest key say which leaf.
// Answers are positions in the sorted source, 0 to size(); all 2^64 keys are allowed.
//
// Cost: building is O(n), one copy of the keys. A query reads ceil(log9(n / 8)) + 1 lines, or
//   with a directory 2 and at most 4 more. A batch keeps many queries in flight by
//   prefetching; it is what to use for more than a few queries at once (three to five times
//   as fast as one at a time where the tree is larger than the caches: doc/search_tree.md).
// Memory: the keys, plus 1/8 (nodes) or 1/22 to 1/9 (directory), both rounded up to lines
//   or, from 1 MiB on, to 2 MiB; in huge pages where the system has them.
// Threads: immutable once built; any number of threads may query one tree.
// Errors: building throws Error(kUsage) where the keys are not strictly ascending, and
//   std::bad_alloc. Queries do not throw, except for a result span that is too short.
// Vector code is chosen at run time (AVX-512, AVX2 or plain C++; all give the same answers).
//
// Not promised: which of the two layouts a set of keys gets, the order in which the answers
// of a batch are written, or answers when the results overlay the queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include "qbix/export.hpp"

namespace qbix {

enum class SimdLevel : int;  // named in the library's own cpu_features.hpp

struct SearchTreeOptions {
    bool huge_pages = true;  // false forbids them
    bool directory = true;   // false always builds the levels of nodes
    // No instructions above this level, for tests and measurements.
    SimdLevel max_simd = static_cast<SimdLevel>(INT32_MAX);
};

// What a batch writes for each key.
enum class Ask {
    kLowerBound,  // number of keys < key: the position of the first key >= key
    kUpperBound,  // number of keys <= key: one past the position of the last key <= key
    kFind,        // the position of key, or SearchTree::kAbsent
};

class QBIX_EXPORT SearchTree {
   public:
    static constexpr uint64_t kAbsent = UINT64_MAX;

    // Copies `keys`, which may be a mapped section; nothing of it is needed afterwards.
    explicit SearchTree(std::span<const uint64_t> keys, const SearchTreeOptions& options = {});

    // The same from any range of values that convert to uint64_t.
    template <std::forward_iterator It>
    requires std::convertible_to<std::iter_reference_t<It>, uint64_t> SearchTree(
        It first, It last, const SearchTreeOptions& options = {})
        : SearchTree(static_cast<size_t>(std::distance(first, last)), options) {
        uint64_t* key = keys_to_fill();
        for (; first != last; ++first) *key++ = static_cast<uint64_t>(*first);
        build(options);
    }

    ~SearchTree();
    SearchTree(SearchTree&&) noexcept;  // what was moved from may only be destroyed or assigned
    SearchTree& operator=(SearchTree&&) noexcept;

    uint64_t size() const noexcept;
    // The keys again, in order, valid as long as the tree.
    std::span<const uint64_t> keys() const noexcept;
    // All the memory of the tree.
    uint64_t size_bytes() const noexcept;
    bool has_directory() const noexcept;
    SimdLevel simd() const noexcept;

    // ---- one query at a time
    uint64_t lower_bound(uint64_t key) const noexcept;
    uint64_t upper_bound(uint64_t key) const noexcept;
    std::optional<uint64_t> find(uint64_t key) const noexcept;
    bool contains(uint64_t key) const noexcept { return find(key).has_value(); }

    // ---- many queries; answers[i] is for keys[i]. Keys may come in any order, and repeat.
    // All throw Error(kUsage) where `answers` is shorter than `keys`.

    // In groups of kInFlight (16, 32 or 128), level by level.
    template <unsigned kInFlight>
    requires(kInFlight == 16 || kInFlight == 32 ||
             kInFlight == 128) void batch(Ask ask, std::span<const uint64_t> keys,
                                          std::span<uint64_t> answers) const {
        run(ask, kInFlight == 16 ? 0 : kInFlight == 32 ? 1 : 2, keys, answers);
    }

    // The upper half of one group's way together with the lower half of the group before it:
    // computing overlaps waiting for memory. The fastest on one thread in most cases.
    void interleaved(Ask ask, std::span<const uint64_t> keys, std::span<uint64_t> answers) const {
        run(ask, 3, keys, answers);
    }

    // interleaved() on up to `n_threads` threads, the calling one among them, which take
    // pieces of 16,384 keys. Starts and joins its own; fewer if the system refuses.
    void parallel(Ask ask, std::span<const uint64_t> keys, std::span<uint64_t> answers,
                  unsigned n_threads) const;

   private:
    struct Rep;

    SearchTree(size_t n_keys, const SearchTreeOptions& options);
    uint64_t* keys_to_fill() noexcept;
    void build(const SearchTreeOptions& options);
    void run(Ask ask, unsigned traversal, std::span<const uint64_t> keys,
             std::span<uint64_t> answers) const;

    std::unique_ptr<Rep> rep_;
};

}  // namespace qbix
