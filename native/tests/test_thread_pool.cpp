#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using branchline::Interrupted;
using branchline::StopSignal;
using branchline::ThreadPool;
using test_data::thread_counts;
using namespace std::chrono_literals;

const check::Test every_task_once{"every task runs once, whatever the number of threads", [] {
    for (const int n_threads : thread_counts) {
        StopSignal stop;
        ThreadPool pool(n_threads, stop);
        for (const std::size_t n_tasks : {0u, 1u, 2u, 6u, 7u, 8u, 1000u}) {
            std::vector<int> runs(n_tasks, 0), worker_of_task(n_tasks, -1);
            pool.run(n_tasks, [&](std::size_t task, std::size_t worker) {
                ++runs[task];
                worker_of_task[task] = static_cast<int>(worker);
            });
            check::equal(runs, std::vector<int>(n_tasks, 1));
            for (const int worker : worker_of_task) {
                check::that(worker >= 0 && worker < n_threads, "worker numbers are in range");
            }
        }
    }
}};

const check::Test many_rounds{"thousands of tiny rounds on one pool each run to their end", [] {
    for (const int n_threads : thread_counts) {
        StopSignal stop;
        ThreadPool pool(n_threads, stop);
        std::vector<long> sums(3, 0);
        for (int round = 0; round < 5000; ++round) {
            pool.run(3, [&](std::size_t task, std::size_t) { sums[task] += round; });
        }
        check::equal(sums, std::vector<long>(3, 5000L * 4999 / 2));
    }
}};

const check::Test at_home{"at home: every task runs once, on its own worker when all have time",
                          [] {
    for (const int n_threads : thread_counts) {
        StopSignal stop;
        ThreadPool pool(n_threads, stop);
        for (const std::size_t n_tasks : {0u, 1u, 2u, 7u, 64u}) {
            std::vector<int> runs(n_tasks, 0);
            pool.run_at_home(n_tasks, [&](std::size_t task, std::size_t) { ++runs[task]; });
            check::equal(runs, std::vector<int>(n_tasks, 1));
        }
    }
    StopSignal stop;
    ThreadPool pool(2, stop);
    std::atomic<int> n_begun = 0;
    std::vector<std::size_t> worker_of_task(2);
    pool.run_at_home(2, [&](std::size_t task, std::size_t worker) {
        worker_of_task[task] = worker;
        ++n_begun;
        while (n_begun < 2) std::this_thread::yield();  // so that each takes one
    });
    check::equal(worker_of_task, std::vector<std::size_t>{0, 1});
}};

const check::Test at_home_helps{"at home: who is done takes the tasks of others", [] {
    StopSignal stop;
    ThreadPool pool(2, stop);
    std::atomic<int> n_done = 0;
    pool.run_at_home(10, [&](std::size_t task, std::size_t) {
        while (task == 9 && n_done < 9) std::this_thread::yield();
        ++n_done;
    });
    check::equal(n_done.load(), 10);
    check::throws<std::runtime_error>([&] {
        pool.run_at_home(10, [](std::size_t, std::size_t) { throw std::runtime_error("no"); });
    });
}};

const check::Test works_alone{
    "many small steps: a worker that is kept from its core is done without for a while", [] {
    StopSignal stop;
    ThreadPool pool(2, stop, 200us);
    std::atomic<bool> has_begun = false;
    const auto begin = std::chrono::steady_clock::now();
    pool.run_at_home(2, [&](std::size_t task, std::size_t) {
        if (task == 1) has_begun = true;
        while (!has_begun) std::this_thread::yield();
        if (task == 0) return;
        const auto late = std::chrono::steady_clock::now() - begin;
        std::this_thread::sleep_for(600ms + 8 * late);  // as if another process ran
    });
    std::set<std::size_t> workers;
    for (int round = 0; round < 32; ++round) {
        pool.run_at_home(2, [&](std::size_t, std::size_t worker) { workers.insert(worker); });
    }
    check::that(workers == std::set<std::size_t>{0}, "32 rounds alone");
    std::atomic<int> n_begun = 0;
    pool.run_at_home(2, [&](std::size_t, std::size_t) {
        ++n_begun;
        while (n_begun < 2) std::this_thread::yield();
    });
    check::equal(n_begun.load(), 2);  // then together again
}};

const check::Test few_threads{"threads are not started for less than they are worth", [] {
    check::equal(branchline::threads_for(99, 100, 8), 1);
    check::equal(branchline::threads_for(250, 100, 8), 2);
    check::equal(branchline::threads_for(5000, 100, 8), 8);
    check::equal(branchline::threads_for(0, 100, -3), -3);  // the pool refuses them
}};

const check::Test growing_rounds{
    "threads join when later rounds have more tasks, after a sleep too", [] {
    StopSignal stop;
    ThreadPool pool(7, stop);
    for (const std::size_t n_tasks : {1u, 2u, 4u, 3u, 7u, 50u}) {
        std::vector<int> runs(n_tasks, 0);
        pool.run(n_tasks, [&](std::size_t task, std::size_t) { ++runs[task]; });
        check::equal(runs, std::vector<int>(n_tasks, 1));
        std::this_thread::sleep_for(1ms);  // beyond the time for which workers spin
    }
}};

const check::Test closed_unused{"a pool may be closed without ever having run", [] {
    for (int repeat = 0; repeat < 200; ++repeat) {
        StopSignal stop;
        const ThreadPool unused(7, stop);
    }
}};

const check::Test closed_at_once{"a pool may be closed at once after a round", [] {
    for (int repeat = 0; repeat < 500; ++repeat) {
        StopSignal stop;
        ThreadPool pool(3, stop);
        pool.run(2, [](std::size_t, std::size_t) {});
    }
}};

const check::Test first_exception{"the exception of the lowest task is thrown again", [] {
    for (const int n_threads : thread_counts) {
        StopSignal stop;
        ThreadPool pool(n_threads, stop);
        for (int repeat = 0; repeat < 50; ++repeat) {
            try {
                pool.run(100, [](std::size_t task, std::size_t) {
                    if (task % 10 == 3) throw std::runtime_error(std::to_string(task));
                });
                check::fail("no exception");
            } catch (const std::runtime_error& error) {
                check::equal(std::string(error.what()), std::string("3"));
            }
        }
    }
}};

const check::Test after_exception{"after an exception few tasks begin, and the pool works on", [] {
    StopSignal stop;
    ThreadPool pool(3, stop);
    std::atomic<int> n_begun = 0;
    check::throws<std::bad_alloc>([&] {
        pool.run(100'000, [&](std::size_t, std::size_t) {
            ++n_begun;
            throw std::bad_alloc();
        });
    });
    check::that(n_begun <= 3, "no worker begins a second task");
    std::vector<int> runs(20, 0);
    pool.run(20, [&](std::size_t task, std::size_t) { ++runs[task]; });
    check::equal(runs, std::vector<int>(20, 1));
}};

const check::Test interrupted{"an interruption ends the round and throws Interrupted", [] {
    for (const int n_threads : thread_counts) {
        std::atomic<int> n_done = 0;
        StopSignal stop([&] { return n_done > 20; });
        ThreadPool pool(n_threads, stop);
        check::throws<Interrupted>([&] {
            pool.run(1'000'000, [&](std::size_t, std::size_t) {
                std::this_thread::sleep_for(1ms);
                ++n_done;
            });
        });
        check::that(stop.requested(), "the signal remembers");
        check::that(n_done < 10'000, "most tasks were never begun");
        check::throws<Interrupted>([&] { pool.run(1, [](std::size_t, std::size_t) {}); });
    }
}};

const check::Test interrupted_while_waiting{
    "the calling thread looks for interruptions while it waits for a long task of a worker", [] {
    std::atomic<bool> is_long_running = false;
    StopSignal stop([&] { return is_long_running.load(); });
    ThreadPool pool(2, stop);
    check::throws<Interrupted>([&] {
        pool.run(2, [&](std::size_t, std::size_t worker) {
            while (worker == 1 && !stop.requested()) {
                is_long_running = true;
                std::this_thread::sleep_for(1ms);
            }
            while (worker == 0 && !is_long_running) std::this_thread::sleep_for(1ms);
        });
    });
}};

const check::Test looks_at_once{
    "an interruption before the first task is heard, however few they are", [] {
    for (int repeat = 0; repeat < 200; ++repeat) {
        StopSignal stop([] { return true; });
        ThreadPool pool(2, stop);
        check::throws<Interrupted>([&] { pool.run(2, [](std::size_t, std::size_t) {}); });
    }
}};

const check::Test stop_wins{"an interruption wins over an exception", [] {
    StopSignal stop;
    ThreadPool pool(2, stop);
    check::throws<Interrupted>([&] {
        pool.run(10, [&](std::size_t, std::size_t) {
            stop.request();
            throw std::runtime_error("late");
        });
    });
}};

const check::Test only_the_owner_looks{
    "only the thread that made the signal looks for interruptions", [] {
    std::set<std::thread::id> lookers;
    StopSignal stop([&] {
        lookers.insert(std::this_thread::get_id());
        return false;
    });
    ThreadPool pool(7, stop);
    const auto end = std::chrono::steady_clock::now() + 250ms;
    while (std::chrono::steady_clock::now() < end) {
        pool.run(50, [&](std::size_t, std::size_t) { stop.check(); });
    }
    check::that(lookers == std::set{std::this_thread::get_id()}, "one thread looked");
}};

const check::Test thread_numbers{"no threads are refused; very many are cut down", [] {
    StopSignal stop;
    for (const int n_threads : {0, -1, std::numeric_limits<int>::min()}) {
        check::throws<std::invalid_argument>([&] { const ThreadPool pool(n_threads, stop); });
    }
    ThreadPool pool(std::numeric_limits<int>::max(), stop);
    check::that(pool.n_workers() >= 64 && pool.n_workers() < 100'000, "a sensible number");
    std::vector<int> runs(500, 0);
    pool.run(500, [&](std::size_t task, std::size_t) { ++runs[task]; });
    check::equal(runs, std::vector<int>(500, 1));
}};

}  // namespace
