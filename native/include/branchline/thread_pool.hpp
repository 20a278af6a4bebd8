// A pool of threads that lives for one call, so nothing is left behind when a process forks.
//
// run(n, task) calls task(i, worker) once for every i in 0..n−1. The calling thread is worker 0 and
// works too. Tasks are handed out in order; which worker takes which is not fixed, so a task may
// only write to places that belong to i (or to the worker's scratch space), never add to a shared sum.
// Idle workers spin for 20 µs, then sleep. The first exception (by i) is thrown again by run();
// an interruption throws Interrupted.
#pragma once

#include <atomic>
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
    using Task = std::function<void(std::size_t task, std::size_t worker)>;

    // Requires: n_threads >= 1. Starts n_threads − 1 threads.
    ThreadPool(int n_threads, StopSignal& stop);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    std::size_t n_workers() const noexcept { return threads_.size() + 1; }

    void run(std::size_t n_tasks, const Task& task);

  private:
    void worker_loop(std::size_t worker);
    bool wait_for_work(std::uint64_t seen) const;
    void take_tasks(std::size_t worker);
    void wait_for_workers();
    void keep_exception(std::size_t task);

    StopSignal& stop_;
    std::vector<std::thread> threads_;
    const Task* task_ = nullptr;
    std::size_t n_tasks_ = 0;
    std::atomic<std::size_t> next_task_{0};
    std::atomic<std::uint64_t> round_{0};
    std::atomic<bool> closing_{false};
    std::mutex mutex_;
    std::condition_variable all_done_;
    std::size_t n_busy_ = 0;
    std::size_t failed_task_ = 0;
    std::exception_ptr failure_;
};

}  // namespace branchline
