// qbi_fixtures.hpp: rows, files and a brute-force twin for the tests of .qbi indexes.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "qbi_writer.hpp"
#include "qbix/qbi_index.hpp"

namespace qbi_test {

using qbix::BamIdentity;
using qbix::IndexFormat;
using qbix::IndexRow;
using qbix::NameHash;
using qbix::VirtualOffset;

using Bytes = std::vector<uint8_t>;

inline constexpr BamIdentity kIdentity{.size_bytes = uint64_t{1} << 47,
                                       .mtime_ns = 1767319384678901234,
                                       .header_hash = 0x0123456789abcdef};

struct Form {
    IndexFormat format;
    int radix_bits;
};
inline constexpr Form kForms[] = {{IndexFormat::kQbi1, 0},
                                  {IndexFormat::kQbi2, 8},
                                  {IndexFormat::kQbi2, 12},
                                  {IndexFormat::kQbi2, 16}};

inline std::string name_of(Form form) {
    return form.format == IndexFormat::kQbi1 ? "QBI1" : "QBI2 P=" + std::to_string(form.radix_bits);
}

// A file that lives as long as this object.
class TempFile {
   public:
    explicit TempFile(const Bytes& bytes) {
        std::string path = std::filesystem::temp_directory_path() / "qbix-test-XXXXXX";
        const int fd = mkstemp(path.data());
        if (fd < 0) throw std::runtime_error("no temporary file");
        close(fd);
        path_ = path;
        write(bytes);
    }
    ~TempFile() { unlink(path_.c_str()); }
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;

    void write(const Bytes& bytes) {
        std::ofstream out(path_, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
        if (!out.flush()) throw std::runtime_error("temporary file not written");
    }
    const std::string& path() const { return path_; }

   private:
    std::string path_;
};

inline Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return Bytes(std::istreambuf_iterator<char>(in), {});
}

// Where the files shared between projects are; they need not be there.
inline std::filesystem::path shared_dir() {
    const char* dir = std::getenv("QBIX_SHARED");
    if (dir != nullptr) return dir;
    return std::filesystem::path(__FILE__).parent_path() / "../../../shared";
}

// ---- rows ------------------------------------------------------------------------------

// Rows in index order, groups of 1 to max_group records. Hashes are uniform, but for some
// at the ends of the range and some that share their first 16 bits.
inline std::vector<IndexRow> make_rows(size_t n_rows, size_t max_group, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<IndexRow> rows;
    rows.reserve(n_rows);
    uint64_t n_hashes = 0;
    while (rows.size() < n_rows) {
        uint64_t hash = random();
        switch (n_hashes++) {
            case 0:
                hash = 0;
                break;
            case 1:
                hash = UINT64_MAX;
                break;
            case 2:
                hash = UINT64_MAX - 1;
                break;
            case 3:
                hash = 1;
                break;
            default:
                if (random() % 8 == 0) hash = (hash & 0xffffffffff) | 0xabcd0000'00000000;
        }
        const size_t n = std::min<size_t>(1 + random() % max_group, n_rows - rows.size());
        for (size_t i = 0; i < n; ++i) rows.push_back({{hash}, {random() >> 2}});
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

// What an index over `rows` must answer.
class Twin {
   public:
    explicit Twin(const std::vector<IndexRow>& rows) {
        for (size_t i = 0; i < rows.size(); ++i) {
            const auto [place, is_new] =
                groups_.try_emplace(rows[i].hash.value, qbix::RowRange{i, i});
            place->second.end = i + 1;
        }
    }
    qbix::RowRange find(NameHash hash) const {
        const auto place = groups_.find(hash.value);
        return place == groups_.end() ? qbix::RowRange{} : place->second;
    }
    const std::map<uint64_t, qbix::RowRange>& groups() const { return groups_; }

   private:
    std::map<uint64_t, qbix::RowRange> groups_;
};

inline std::vector<IndexRow> read_rows(const qbix::QbiIndex& index, uint64_t first_row = 0,
                                       size_t n_at_once = 1000) {
    std::vector<IndexRow> rows;
    std::vector<IndexRow> some(n_at_once);
    qbix::RowCursor cursor(index, first_row);
    while (const size_t n = cursor.next(some))
        rows.insert(rows.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(n));
    return rows;
}

inline std::vector<qbix::HashGroup> read_groups(const qbix::QbiIndex& index,
                                                size_t n_at_once = 1000) {
    std::vector<qbix::HashGroup> groups;
    std::vector<qbix::HashGroup> some(n_at_once);
    qbix::GroupCursor cursor(index);
    while (const size_t n = cursor.next(some))
        groups.insert(groups.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(n));
    return groups;
}

}  // namespace qbi_test
