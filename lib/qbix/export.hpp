// qbix/export.hpp: which symbols the shared library shows, and which hosts we build on.
#pragma once

#include <bit>

static_assert(std::endian::native == std::endian::little && sizeof(void*) == 8,
              "qbix reads and writes mapped little-endian files: 64-bit little-endian hosts only");

#define QBIX_EXPORT __attribute__((visibility("default")))
