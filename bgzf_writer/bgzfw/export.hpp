// bgzfw/export.hpp: which symbols the shared library shows.
#pragma once

#define BGZFW_EXPORT __attribute__((visibility("default")))
