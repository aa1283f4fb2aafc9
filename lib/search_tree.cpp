// search_tree.cpp: building the two layouts of SearchTree, and its public face.
#include "qbix/search_tree.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "line_buffer.hpp"
#include "qbix/error.hpp"
#include "search_tree_kernel.hpp"

namespace qbix {

using search_tree::DirectoryLine;
using search_tree::DirectoryMap;
using search_tree::Kernel;
using search_tree::kFanout;
using search_tree::kNodeKeys;
using search_tree::TreeView;
using search_tree::Wide;

namespace {

const Kernel& kernel_for(SimdLevel level) noexcept {
#if defined(__x86_64__)
    if (level >= SimdLevel::kAvx512) return search_tree::kAvx512Kernel;
    if (level >= SimdLevel::kAvx2) return search_tree::kAvx2Kernel;
#endif
    (void)level;
    return search_tree::kScalarKernel;
}

uint64_t n_leaves_of(uint64_t n_keys) noexcept {
    return n_keys / kNodeKeys + (n_keys % kNodeKeys != 0 || n_keys == 0);
}

void require_ascending(std::span<const uint64_t> keys) {
    bool ascending = true;
    for (size_t i = 1; i < keys.size(); ++i) ascending &= keys[i - 1] < keys[i];
    if (ascending) return;
    const auto at = std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>());
    throw Error(
        ErrorCode::kUsage,
        "search tree: key " + std::to_string(at - keys.begin() + 1) +
            " (from 0) is not greater than the one before it; sort the keys and drop repeats");
}

// ---- the levels of nodes

struct NodeLevels {
    std::vector<uint64_t> n_nodes;  // from the level above the leaves to the root
    uint64_t n_all = 0;
};

NodeLevels node_levels(uint64_t n_leaves) {
    NodeLevels levels;
    for (uint64_t n = n_leaves; n > 1;) {
        n = n / kFanout + (n % kFanout != 0);
        levels.n_nodes.push_back(n);
        levels.n_all += n;
    }
    return levels;
}

// Slot c of node j: the last key of child j * kFanout + c, of n_child_keys keys each.
void fill_level(std::span<const uint64_t> keys, uint64_t n_child_keys, uint64_t n_nodes,
                uint64_t* slots) noexcept {
    for (uint64_t node = 0; node < n_nodes; ++node) {
        for (uint64_t c = 0; c < kNodeKeys; ++c) {
            const uint64_t last = (node * kFanout + c + 1) * n_child_keys - 1;
            *slots++ = last < keys.size() - 1 ? keys[last] : UINT64_MAX;
        }
    }
}

LineBuffer build_nodes(std::span<const uint64_t> keys, uint64_t n_leaves, bool huge_pages,
                       TreeView& view) {
    const NodeLevels levels = node_levels(n_leaves);
    view.n_inner = static_cast<int>(levels.n_nodes.size());
    view.level[view.n_inner] = view.level[0];
    if (view.n_inner == 0) return {};
    LineBuffer nodes(levels.n_all * search_tree::kNodeBytes, huge_pages);
    uint64_t n_above = levels.n_all;
    uint64_t n_child_keys = kNodeKeys;
    for (int height = 0; height < view.n_inner; ++height) {
        const uint64_t n_nodes = levels.n_nodes[height];
        n_above -= n_nodes;
        std::byte* level = nodes.data() + n_above * search_tree::kNodeBytes;
        fill_level(keys, n_child_keys, n_nodes, reinterpret_cast<uint64_t*>(level));
        view.level[view.n_inner - 1 - height] = level;
        n_child_keys *= kFanout;
    }
    return nodes;
}

// ---- the directory

DirectoryMap directory_map(uint64_t least, uint64_t greatest, uint64_t n_lines) noexcept {
    DirectoryMap map{least, greatest - least, 0, 0};
    map.shift = static_cast<unsigned>(std::countl_zero(map.range));
    const auto width = static_cast<Wide>(map.range << map.shift) + 1;
    map.scale = static_cast<uint64_t>((static_cast<Wide>(n_lines) << 64) / width);
    return map;
}

// False where the keys are too uneven for this map: a line would have to hold more leaves
// than it can, or too many leaves in a row cannot be told apart.
bool fill_directory(std::span<const uint64_t> keys, uint64_t n_leaves, const DirectoryMap& map,
                    std::span<DirectoryLine> lines) noexcept {
    uint64_t line = 0;
    int n_in_line = 0;
    uint64_t n_ties = 0;
    std::memset(lines.data(), 0xff, sizeof(DirectoryLine));
    lines[0].first_leaf = 0;
    for (uint64_t leaf = 0; leaf < n_leaves; ++leaf) {
        const uint64_t last = std::min<uint64_t>((leaf + 1) * kNodeKeys, keys.size()) - 1;
        const uint64_t place = map.place(keys[last]);
        const uint16_t within = DirectoryMap::within(place);
        for (; line < DirectoryMap::line(place); n_in_line = 0) {
            std::memset(&lines[++line], 0xff, sizeof(DirectoryLine));
            lines[line].first_leaf = static_cast<uint32_t>(leaf);
        }
        if (n_in_line == DirectoryLine::kCapacity) return false;
        const bool tie = n_in_line && lines[line].greatest[n_in_line - 1] == within;
        n_ties = tie ? n_ties + 1 : 0;
        if (n_ties > TreeView::kMaxTies) return false;
        lines[line].greatest[n_in_line++] = within;
    }
    return true;
}

// Empty where the keys are too uneven. Starts with as many leaves a line as random keys
// allow and gives up at the size of the levels of nodes.
LineBuffer build_directory(std::span<const uint64_t> keys, uint64_t n_leaves, bool huge_pages,
                           TreeView& view) {
    if (n_leaves > UINT32_MAX) return {};
    for (const uint64_t n_per_line : {22, 20, 17, 13, 9}) {
        const uint64_t n_lines = n_leaves / n_per_line + 1;
        LineBuffer buffer(n_lines * sizeof(DirectoryLine), huge_pages);
        auto* lines = reinterpret_cast<DirectoryLine*>(buffer.data());
        view.map = directory_map(keys.front(), keys.back(), n_lines);
        if (fill_directory(keys, n_leaves, view.map, {lines, n_lines})) {
            view.directory = lines;
            return buffer;
        }
    }
    return {};
}

// ---- threads

// Joins what it started, whatever happens.
class ThreadGroup {
   public:
    ~ThreadGroup() {
        for (std::thread& thread : threads_) thread.join();
    }
    // False where the system has no more threads or memory for one.
    template <typename Work>
    bool start(const Work& work) noexcept {
        try {
            threads_.emplace_back(work);
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

   private:
    std::vector<std::thread> threads_;
};

void require_room(std::span<const uint64_t> keys, std::span<uint64_t> answers) {
    if (answers.size() >= keys.size()) return;
    throw Error(ErrorCode::kUsage, "search tree: room for " + std::to_string(answers.size()) +
                                       " answers to " + std::to_string(keys.size()) + " queries");
}

}  // namespace

struct SearchTree::Rep {
    TreeView view;
    const Kernel* kernel = nullptr;
    LineBuffer leaves;
    LineBuffer inner;  // nodes or directory

    const Kernel::Ways& ways(Ask ask) const noexcept { return kernel->ways[static_cast<int>(ask)]; }
};

SearchTree::SearchTree(size_t n_keys, const SearchTreeOptions& options)
    : rep_(std::make_unique<Rep>()) {
    const uint64_t n_leaves = n_leaves_of(n_keys);
    if (n_leaves > SIZE_MAX / search_tree::kNodeBytes) throw std::bad_alloc();
    rep_->leaves = LineBuffer(n_leaves * search_tree::kNodeBytes, options.huge_pages);
    rep_->kernel = &kernel_for(std::min(options.max_simd, best_simd_level()));
    rep_->view.n_keys = n_keys;
    rep_->view.last_leaf_at = (n_leaves - 1) * search_tree::kNodeBytes;
    rep_->view.level[0] = rep_->leaves.data();
}

SearchTree::SearchTree(std::span<const uint64_t> keys, const SearchTreeOptions& options)
    : SearchTree(keys.size(), options) {
    std::copy(keys.begin(), keys.end(), keys_to_fill());
    build(options);
}

SearchTree::~SearchTree() = default;
SearchTree::SearchTree(SearchTree&&) noexcept = default;
SearchTree& SearchTree::operator=(SearchTree&&) noexcept = default;

uint64_t* SearchTree::keys_to_fill() noexcept {
    return reinterpret_cast<uint64_t*>(rep_->leaves.data());
}

// The keys are checked in the copy: a mapped source may change at any time.
void SearchTree::build(const SearchTreeOptions& options) {
    TreeView& view = rep_->view;
    const uint64_t n_leaves = n_leaves_of(view.n_keys);
    require_ascending(keys());
    std::fill(keys_to_fill() + view.n_keys, keys_to_fill() + n_leaves * kNodeKeys, UINT64_MAX);
    // Up to two levels the nodes are as fast, and the least key is not the greatest.
    if (options.directory && n_leaves > kFanout) {
        rep_->inner = build_directory(keys(), n_leaves, options.huge_pages, view);
    }
    if (!view.directory) rep_->inner = build_nodes(keys(), n_leaves, options.huge_pages, view);
}

uint64_t SearchTree::size() const noexcept { return rep_->view.n_keys; }

std::span<const uint64_t> SearchTree::keys() const noexcept {
    return {reinterpret_cast<const uint64_t*>(rep_->leaves.data()), rep_->view.n_keys};
}

uint64_t SearchTree::size_bytes() const noexcept {
    return sizeof(Rep) + rep_->leaves.size_bytes() + rep_->inner.size_bytes();
}

bool SearchTree::has_directory() const noexcept { return rep_->view.directory != nullptr; }

SimdLevel SearchTree::simd() const noexcept { return rep_->kernel->level; }

uint64_t SearchTree::lower_bound(uint64_t key) const noexcept {
    return rep_->ways(Ask::kLowerBound).one(rep_->view, key);
}

uint64_t SearchTree::upper_bound(uint64_t key) const noexcept {
    return rep_->ways(Ask::kUpperBound).one(rep_->view, key);
}

std::optional<uint64_t> SearchTree::find(uint64_t key) const noexcept {
    const uint64_t position = rep_->ways(Ask::kFind).one(rep_->view, key);
    if (position == kAbsent) return std::nullopt;
    return position;
}

void SearchTree::run(Ask ask, unsigned traversal, std::span<const uint64_t> keys,
                     std::span<uint64_t> answers) const {
    require_room(keys, answers);
    rep_->ways(ask).many[traversal](rep_->view, keys.data(), answers.data(), keys.size());
}

void SearchTree::parallel(Ask ask, std::span<const uint64_t> keys, std::span<uint64_t> answers,
                          unsigned n_threads) const {
    require_room(keys, answers);
    constexpr size_t kPiece = 16384;
    const size_t n_pieces = (keys.size() + kPiece - 1) / kPiece;
    std::atomic<size_t> next_piece{0};
    const auto work = [&] {
        for (size_t piece; (piece = next_piece.fetch_add(1)) < n_pieces;) {
            const size_t begin = piece * kPiece;
            const size_t n = std::min(kPiece, keys.size() - begin);
            interleaved(ask, keys.subspan(begin, n), answers.subspan(begin, n));
        }
    };
    ThreadGroup others;
    for (size_t i = 1; i < n_threads && i < n_pieces && others.start(work); ++i) {
    }
    work();
}

}  // namespace qbix
