// A pool of threads. Most pools live for one call, so nothing is left behind when a process forks. A pool
// that is kept from call to call must be asked `is_of_this_process` first.
//
// run(n, task) calls task(i, worker) once for every i in 0..n−1. The calling thread is worker 0 and
// works too. Tasks are handed out in order; which worker takes which is not fixed, so a task may
// only write to places that belong to i (or to the worker's scratch space), never add to a shared sum.
// Threads are started when there are tasks for them; if the system refuses one, the others do its work.
// A waiting thread spins (default 20 µs), then sleeps. Waking a thread takes longer than a short step,
// so callers with many short steps request longer spinning. Such calls use one thread for a while when
// other processes keep a thread from its core. After an exception no further task is started; the first
// exception (by i) is thrown again by run(). An interruption throws Interrupted.
//
// run_at_home() gives the same task to the same worker in every round, where it can: worker w begins
// with the w-th part of the tasks and helps others when it is done. What a task writes is then still in
// the cache of the core that reads it in the next round. (Of several exceptions any may be thrown.)
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

class ThreadPool {
  public:
    static constexpr std::chrono::microseconds short_spin{20};
    using Task = std::function<void(std::size_t task, std::size_t worker)>;

    // Throws std::invalid_argument unless n_threads >= 1. More than 64, or than this machine has
    // cores, are not used: they would only cost memory.
    ThreadPool(int n_threads, StopSignal& stop, std::chrono::microseconds spin = short_spin);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    // The next calls ask this signal, which must outlive them.
    void listen_to(StopSignal& stop) noexcept { stop_ = &stop; }
    // False in a forked process: its threads do not exist there, and it must not be run.
    bool is_of_this_process() const noexcept;

    // The most workers there can be: task() sees worker numbers below this.
    std::size_t n_workers() const noexcept { return n_workers_; }

    void run(std::size_t n_tasks, const Task& task);
    void run_at_home(std::size_t n_tasks, const Task& task);

  private:
    // Tasks that wait, in a line of memory of their own.
    struct alignas(64) Queue {
        std::atomic<std::size_t> next{0};
        std::size_t end = 0;
    };

    using Duration = std::chrono::steady_clock::duration;

    bool rests();
    void heed_wait(Duration worked, Duration waited);
    void run_queues(std::size_t n_tasks, std::size_t n_queues, const Task& task);
    void start_threads(std::size_t n_wanted);
    void worker_loop(std::size_t worker, std::uint32_t seen);
    bool wait_for_work(std::uint32_t seen) const;
    void take_tasks(std::size_t worker);
    bool empty_queue(Queue& queue, std::size_t worker);
    void wait_for_workers();
    void keep_exception(std::size_t task);

    StopSignal* stop_;
    long process_;
    std::chrono::microseconds spin_;
    std::size_t n_workers_;
    bool may_start_ = true;
    std::vector<std::thread> threads_;
    const Task* task_ = nullptr;
    std::size_t n_rest_ = 0, next_rest_ = 0;  // rounds in which the calling thread works alone
    std::vector<Queue> queues_;
    std::size_t n_queues_ = 1;
    std::atomic<std::uint32_t> round_{0};  // 32 bits: what a futex can wait for
    std::atomic<bool> closing_{false};
    std::mutex mutex_;
    std::condition_variable all_done_;
    std::atomic<std::size_t> n_busy_{0};  // changed under the mutex
    std::size_t failed_task_ = 0;
    std::exception_ptr failure_;
};

// The number of threads that have at least this much work: starting one takes a tenth of a millisecond.
constexpr int threads_for(std::size_t n_items, std::size_t least, int n_threads) noexcept {
    const std::size_t n_useful = n_items / least;
    if (n_threads < 1 || n_useful >= static_cast<std::size_t>(n_threads)) return n_threads;
    return n_useful < 1 ? 1 : static_cast<int>(n_useful);
}

}  // namespace branchline
