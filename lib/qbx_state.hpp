// qbx_state.hpp: what an opened .qbx consists of; for the files that implement what it does.
#pragma once

#include <memory>
#include <string>

#include "block_locator.hpp"
#include "qbix/qbx_index.hpp"
#include "qbx_file.hpp"
#include "qbx_names.hpp"

namespace qbix {

struct QbxIndex::State {
    State(const std::string& path, IndexBytes&& opened, bool preload);

    QbxFile file;
    std::unique_ptr<QbxSection> blocks_section;
    std::unique_ptr<QbxSection> names_section;
    BlockLocator blocks;
    QbxNames names;
};

}  // namespace qbix
