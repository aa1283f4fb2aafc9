#include "qbix/name_index.hpp"

#include <algorithm>
#include <array>

#include "format_qbx.hpp"
#include "index_bytes.hpp"
#include "qbix/qbi_index.hpp"
#include "qbix/qbx_index.hpp"

namespace qbix {

const char* format_name(IndexFormat format) noexcept {
    return format == IndexFormat::kQbx ? "QBX" : format == IndexFormat::kQbi1 ? "QBI1" : "QBI2";
}

std::unique_ptr<const NameIndex> open_name_index(const std::string& path, bool preload) {
    IndexBytes bytes(path);
    std::array<uint8_t, 4> magic{};
    bytes.read(0, std::span(magic).first(std::min<uint64_t>(magic.size(), bytes.size_bytes())));
    if (qbx::has_magic(magic))
        return std::make_unique<const QbxIndex>(path, std::move(bytes), preload);
    return std::make_unique<const QbiIndex>(path, std::move(bytes));
}

}  // namespace qbix
