// test_bgzfw_errors.cpp: what goes wrong while writing: full disks, closed pipes, slow
// readers, producers that die. Nothing may hang, and no EOF block may follow an error.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <functional>
#include <optional>

#include "bgzfw_support.hpp"

using namespace bgzfw;
using namespace bgzfw_test;

namespace {

struct Ending {
    ErrorCode code = ErrorCode::kInternal;
    int os_errno = 0;
    std::string message;
};

// Runs `action`, which must throw an Error.
template <class Action>
Ending ending_of(Action action) {
    try {
        action();
    } catch (const Error& e) {
        return {e.code(), e.os_errno(), e.what()};
    }
    return {ErrorCode::kInternal, 0, "no error"};
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Records that no level makes smaller, so that files grow as expected.
Bytes noise(size_t n_records) {
    Bytes all;
    for (size_t i = 0; i < n_records; ++i) {
        const Bytes r = make_record("noise" + std::to_string(i), 1000, i, false);
        all.insert(all.end(), r.begin(), r.end());
    }
    return all;
}

// Writes without end, from one thread or from producers, until the writer fails.
Ending write_until_error(Writer& writer, int n_producers, bool by_batch) {
    static const Bytes records = noise(200);
    const auto stream = [&] {
        return ending_of([&] {
            for (int i = 0; i < 100000; ++i) writer.write_encoded(records);
        });
    };
    if (n_producers == 0) return stream();
    std::atomic<uint64_t> next{0};
    std::vector<Ending> endings(static_cast<size_t>(n_producers));
    std::vector<std::thread> threads;
    for (auto& ending : endings) {
        threads.emplace_back([&] {
            ending = ending_of([&] {
                Producer producer = writer.producer();
                for (int i = 0; i < 100000; ++i) {
                    if (by_batch) {
                        producer.submit(records, next++);
                    } else {
                        producer.write_encoded(records);
                    }
                }
            });
        });
    }
    for (auto& thread : threads) thread.join();
    for (const auto& ending : endings) BOOST_TEST(ending.message == endings[0].message);
    return endings[0];
}

// Every backend, with and without workers, one thread and producers in both orders.
void for_all_ways(const std::function<void(Options, int n_producers)>& check) {
    for (Backend backend : available_backends()) {
        for (int workers : {0, 4}) {
            for (int producers : {0, 3}) {
                for (Order order : {Order::kAsWritten, Order::kByBatch}) {
                    if (producers == 0 && order == Order::kByBatch) continue;
                    BOOST_TEST_CONTEXT(backend_name(backend)
                                       << " workers " << workers << " producers " << producers
                                       << " order " << static_cast<int>(order)) {
                        check({.backend = backend, .level = 1, .workers = workers, .order = order},
                              producers);
                    }
                }
            }
        }
    }
}

// The error comes while writing or in close(), and stays the same.
void check_fails_with(Writer& writer, const Options& options, int producers, int os_errno,
                      const std::string& name) {
    const Ending first = write_until_error(writer, producers, options.order == Order::kByBatch);
    BOOST_TEST((first.code == ErrorCode::kIo));
    BOOST_TEST(first.os_errno == os_errno);
    BOOST_TEST(contains(first.message, name));
    BOOST_TEST(contains(first.message, std::strerror(os_errno)));
    BOOST_TEST(contains(first.message, std::to_string(writer.bytes_written()) + " bytes written"));
    BOOST_TEST(ending_of([&] { writer.close(); }).message == first.message);
    BOOST_TEST(ending_of([&] { writer.close(); }).message == first.message);
}

rlimit file_size_limit(rlim_t bytes) {
    rlimit old{};
    getrlimit(RLIMIT_FSIZE, &old);
    const rlimit limit{bytes, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    return old;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(test_bgzfw_errors)

BOOST_AUTO_TEST_CASE(pain_32_device_full) {
    for_all_ways([](const Options& options, int producers) {
        Ending open_error = ending_of([&] {
            Writer writer("/dev/full", test_header(), options);
            check_fails_with(writer, options, producers, ENOSPC, "/dev/full");
            throw Error(ErrorCode::kInternal, "checked");
        });
        // An engine that writes at once already fails with the header.
        if (open_error.message != "checked") BOOST_TEST(open_error.os_errno == ENOSPC);
    });
}

BOOST_AUTO_TEST_CASE(pain_32_file_size_limit) {
    const auto old_handler = signal(SIGXFSZ, SIG_IGN);
    const ScratchDir scratch;
    const rlimit old = file_size_limit(1000000);
    for_all_ways([&](const Options& options, int producers) {
        const std::string path = scratch.file("x.bam");
        {
            Writer writer(path, test_header(), options);
            check_fails_with(writer, options, producers, EFBIG, path);
        }
        const Bytes file = read_file(path);
        BOOST_TEST(file.size() == 1000000u);
        BOOST_TEST(!std::equal(kEofBlock.begin(), kEofBlock.end(), file.end() - 28));
    });
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, old_handler);
}

BOOST_AUTO_TEST_CASE(pain_32_small_file_system) {
    const ScratchDir scratch;
    if (mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=600k") != 0) {
        BOOST_TEST_MESSAGE("cannot mount a tmpfs: " << std::strerror(errno));
        return;
    }
    for_all_ways([&](const Options& options, int producers) {
        const std::string path = scratch.file("x.bam");
        Writer writer(path, test_header(), options);
        check_fails_with(writer, options, producers, ENOSPC, path);
        BOOST_TEST(std::filesystem::file_size(path) == writer.bytes_written());
    });
    umount(scratch.path().c_str());
}

BOOST_AUTO_TEST_CASE(pain_32_error_of_the_last_blocks_comes_from_close) {
    for (Backend backend : available_backends()) {
        const Options options{.backend = backend, .level = 1};
        const auto old_handler = signal(SIGXFSZ, SIG_IGN);
        const ScratchDir scratch;
        const rlimit old = file_size_limit(5000);
        Writer writer(scratch.file("x.bam"), test_header(), options);
        writer.write_encoded(noise(10));  // does not fill a block
        BOOST_TEST(ending_of([&] { writer.close(); }).os_errno == EFBIG);
        setrlimit(RLIMIT_FSIZE, &old);
        signal(SIGXFSZ, old_handler);
    }
}

BOOST_AUTO_TEST_CASE(pain_41_closed_pipe_where_sigpipe_is_ignored) {
    const auto old_handler = signal(SIGPIPE, SIG_IGN);
    for_all_ways([&](const Options& options, int producers) {
        int fds[2];
        BOOST_TEST_REQUIRE(pipe(fds) == 0);
        {
            Writer writer(fds[1], "the pipe", test_header(), options);
            close(fds[0]);
            check_fails_with(writer, options, producers, EPIPE, "the pipe");
        }
        close(fds[1]);
    });
    struct sigaction now;
    sigaction(SIGPIPE, nullptr, &now);
    BOOST_TEST((now.sa_handler == SIG_IGN));  // dispositions are left alone
    signal(SIGPIPE, old_handler);
}

BOOST_AUTO_TEST_CASE(pain_33_eof_block_only_after_close) {
    for (Backend backend : available_backends()) {
        for (int workers : {0, 3}) {
            for (bool do_close : {true, false}) {
                const ScratchDir scratch;
                const auto records = make_records(500, 3);
                {
                    Writer writer(scratch.file("x.bam"), test_header(),
                                  {.backend = backend, .level = 1, .workers = workers});
                    writer.write_encoded(joined(records));
                    if (do_close) writer.close();
                }
                const auto bam = decode_file(scratch.file("x.bam"));  // whole blocks in any case
                BOOST_TEST(bam.n_eof_blocks == (do_close ? 1 : 0));
                BOOST_TEST(bam.ends_with_eof_block == do_close);
                if (do_close) BOOST_TEST(bam.records.size() == records.size());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(pain_34_producer_that_throws_wakes_the_others) {
    for_all_ways([](Options options, int producers) {
        if (producers == 0) return;
        options.window = 2;
        const ScratchDir scratch;
        Writer writer(scratch.file("x.bam"), test_header(), options);
        const Bytes records = noise(100);
        std::atomic<uint64_t> next{0};
        std::vector<std::thread> threads;
        std::atomic<int> n_failed{0};
        for (int t = 0; t < producers; ++t) {
            threads.emplace_back([&] {
                try {
                    Producer producer = writer.producer();
                    for (int i = 0; i < 100000; ++i) {
                        const uint64_t number = next++;
                        if (number == 20) throw std::runtime_error("the aligner's own trouble");
                        if (options.order == Order::kByBatch) {
                            producer.submit(records, number);
                        } else {
                            producer.write_encoded(records);
                        }
                    }
                    producer.finish();
                } catch (const std::exception&) {
                    ++n_failed;
                }
            });
        }
        for (auto& thread : threads) thread.join();
        BOOST_TEST(n_failed == producers);
        BOOST_TEST((ending_of([&] { writer.close(); }).code == ErrorCode::kAbandoned));
        BOOST_TEST(decode_file(scratch.file("x.bam")).n_eof_blocks == 0);
    });
}

BOOST_AUTO_TEST_CASE(cancel_wakes_who_waits_for_the_window) {
    const ScratchDir scratch;
    Writer writer(scratch.file("x.bam"), test_header(), {.order = Order::kByBatch, .window = 1});
    Ending ending;
    std::thread waiting([&] {
        ending = ending_of([&] {
            Producer producer = writer.producer();
            producer.submit(make_record("r", 100, 1), 1);  // 0 never comes
        });
    });
    writer.cancel("changed my mind");
    waiting.join();
    BOOST_TEST(ending.message == "changed my mind");
    BOOST_TEST(ending_of([&] { writer.close(); }).message == "changed my mind");
}

// All ten thousand with QBIX_TEST_LONG=1, else as many as two seconds allow.
BOOST_AUTO_TEST_CASE(pain_34_open_and_close_ten_thousand_times) {
    const ScratchDir scratch;
    std::mt19937_64 random(1);
    const Bytes record = make_record("r", 300, 1);
    const bool is_long = std::getenv("QBIX_TEST_LONG") != nullptr;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    int i = 0;
    for (; i < 10000 && (is_long || std::chrono::steady_clock::now() < end); ++i) {
        const auto backends = available_backends();
        // htslib starts and ends its threads more slowly
        Backend backend = backends[static_cast<size_t>(i) % backends.size()];
        if (backend == Backend::kHtslib && i % 30 != 0) backend = backends[0];
        Writer writer(scratch.file("x.bam"), test_header(),
                      {.backend = backend, .level = 1, .workers = 8});
        const auto n = random() % 4;
        for (uint64_t k = 0; k < n; ++k) writer.write_encoded(record);
        if (random() % 5 != 0) writer.close();
    }
    BOOST_TEST_MESSAGE("opened and closed " << i << " times");
    BOOST_TEST(i > 0);  // and it came to an end
}

BOOST_AUTO_TEST_CASE(pain_34_open_and_close_on_a_full_device) {
    const Bytes record = make_record("r", 300, 1);
    for (int i = 0; i < static_cast<int>(scaled(200)); ++i) {
        const auto backends = available_backends();
        const Backend backend = backends[static_cast<size_t>(i) % backends.size()];
        BOOST_TEST(ending_of([&] {
                       Writer writer("/dev/full", test_header(),
                                     {.backend = backend, .level = 1, .workers = 8});
                       for (int k = 0; k < i % 4; ++k) writer.write_encoded(record);
                       writer.close();
                   }).os_errno == ENOSPC);
    }
}

// A sink that takes nothing until everybody waits for it.
BOOST_AUTO_TEST_CASE(pain_38_stalled_sink_bounds_what_is_on_its_way) {
    const Bytes records = noise(1000);  // 1 MB
    for (Backend backend : available_backends()) {
        PipeReader reader(PipeReader::kStalled);
        std::atomic<uint64_t> n_given{0};
        std::thread aligner([&] {
            Writer writer(reader.write_fd(), "slow", test_header(),
                          {.backend = backend, .level = 1, .workers = 4});
            for (; n_given < 40; ++n_given) writer.write_encoded(records);
            writer.close();
        });
        for (uint64_t before = UINT64_MAX; n_given != before;) {
            before = n_given;
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
        }
        BOOST_TEST(n_given < 23u);  // 16 MB + 1 MB a worker, and what is in hand
        reader.start();
        aligner.join();
        BOOST_TEST(decode(reader.finish()).records.size() == 40000u);
    }
}

BOOST_AUTO_TEST_CASE(non_blocking_sink_is_waited_for) {
    PipeReader reader(20 << 20);
    fcntl(reader.write_fd(), F_SETFL, O_NONBLOCK);
    const Bytes records = noise(1000);
    {
        Writer writer(reader.write_fd(), "pipe", test_header(), {.level = 1});
        for (int i = 0; i < 5; ++i) writer.write_encoded(records);
        writer.close();
    }
    BOOST_TEST(decode(reader.finish()).records.size() == 5000u);
}

BOOST_AUTO_TEST_CASE(opening_fails_with_path_and_reason) {
    const Ending ending = ending_of([] { Writer writer("/nonexistent/x.bam", test_header()); });
    BOOST_TEST((ending.code == ErrorCode::kOpen));
    BOOST_TEST(ending.os_errno == ENOENT);
    BOOST_TEST(contains(ending.message, "\"/nonexistent/x.bam\""));
    BOOST_TEST(contains(ending.message, "No such file or directory"));
}

BOOST_AUTO_TEST_CASE(wrong_options_leave_an_existing_file_alone) {
    const ScratchDir scratch;
    std::ofstream(scratch.file("x.bam")) << "precious";
    BOOST_CHECK_THROW(Writer(scratch.file("x.bam"), test_header(), {.level = 13}), Error);
    BOOST_TEST(std::filesystem::file_size(scratch.file("x.bam")) == 8u);
}

BOOST_AUTO_TEST_CASE(producer_outlives_its_writer) {
    const ScratchDir scratch;
    std::optional<Producer> producer;
    {
        Writer writer(scratch.file("x.bam"), test_header(), {.workers = 2});
        producer.emplace(writer.producer());
        producer->write_encoded(noise(200));
    }
    BOOST_CHECK_THROW(producer->write_encoded(noise(1)), Error);
}

BOOST_AUTO_TEST_CASE(writer_destroyed_while_producers_write) {
    for_all_ways([](const Options& options, int producers) {
        if (producers == 0) return;
        const ScratchDir scratch;
        std::atomic<uint64_t> next{0};
        std::vector<std::thread> threads;
        std::atomic<int> n_ready{0};
        {
            Writer writer(scratch.file("x.bam"), test_header(), options);
            for (int t = 0; t < producers; ++t) {
                threads.emplace_back([&, producer = writer.producer()]() mutable {
                    const Bytes records = noise(300);
                    ++n_ready;
                    ending_of([&] {
                        for (;;) {
                            if (options.order == Order::kByBatch) {
                                producer.submit(records, next++);
                            } else {
                                producer.write_encoded(records);
                            }
                        }
                    });
                });
            }
            while (n_ready < producers || writer.bytes_written() < 300000)
                std::this_thread::yield();
        }
        for (auto& thread : threads) thread.join();
        BOOST_TEST(decode_file(scratch.file("x.bam")).n_eof_blocks == 0);
    });
}

BOOST_AUTO_TEST_SUITE_END()
