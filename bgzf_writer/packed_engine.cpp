// packed_engine.cpp: chunks come compressed; what is left is to write them.
#include "chunk_pool.hpp"
#include "engine.hpp"
#include "place_reporter.hpp"

namespace bgzfw {

namespace {

class PackedEngine final : public Engine {
   public:
    explicit PackedEngine(const EngineContext& context)
        : context_(context), reporter_(context.hook) {}

    bool wants_packed() const noexcept override { return true; }

    void write(std::unique_ptr<Chunk> chunk) override {
        context_.sink.write(chunk->packed.bytes());
        reporter_.report(*chunk);
        context_.pool.give(std::move(chunk));
    }

    void finish() override {}

   private:
    EngineContext context_;
    PlaceReporter reporter_;
};

}  // namespace

std::unique_ptr<Engine> make_packed_engine(const EngineContext& context) {
    return std::make_unique<PackedEngine>(context);
}

}  // namespace bgzfw
