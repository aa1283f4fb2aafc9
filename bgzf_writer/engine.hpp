// engine.hpp: the end of the line, where chunks become bytes of the file.
#pragma once

#include <memory>

#include "bgzfw/commit_hook.hpp"
#include "chunk.hpp"
#include "fd_sink.hpp"
#include "first_error.hpp"

struct hts_tpool;

namespace bgzfw {

class ChunkPool;

// Takes chunks in file order, one thread at a time. Never writes an EOF block: the writer
// does that itself when nothing has failed. Destroying it gives up and joins its threads.
class Engine {
   public:
    virtual ~Engine() = default;

    // Whether write() wants chunks with `packed` filled, or only raw ones.
    virtual bool wants_packed() const noexcept = 0;

    // Throws Error. May return before the bytes are written.
    virtual void write(std::unique_ptr<Chunk> chunk) = 0;

    // Returns when everything has been written and told to the hook. Throws Error.
    virtual void finish() = 0;
};

// What an engine works with; all of it outlives the engine.
struct EngineContext {
    FdSink& sink;
    CommitHook* hook;   // or null
    ChunkPool& pool;    // where used chunks go
    FirstError& error;  // for what goes wrong in threads of the engine
};

std::unique_ptr<Engine> make_packed_engine(const EngineContext& context);

// Compresses by htslib: `shared_pool`, or n_threads of its own; with neither in write().
// Exists in builds with htslib only. Throws Error.
std::unique_ptr<Engine> make_htslib_engine(const EngineContext& context, int level, int n_threads,
                                           hts_tpool* shared_pool);

}  // namespace bgzfw
