#include "branchline/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace branchline {

namespace {
constexpr std::chrono::milliseconds look_for_stop_every{50};

std::size_t sensible(int n_threads) {
    if (n_threads < 1) throw std::invalid_argument("n_threads must be at least 1");
    constexpr std::size_t always_allowed = 64;
    const auto n = static_cast<std::size_t>(n_threads);
    if (n <= always_allowed) return n;
    // Asking opens a file: longer than growing a small tree.
    return std::min(n, std::max<std::size_t>(always_allowed, std::thread::hardware_concurrency()));
}

long this_process() noexcept {
#if defined(_WIN32)
    return 0;  // nothing forks
#else
    return static_cast<long>(::getpid());
#endif
}
}  // namespace

ThreadPool::ThreadPool(int n_threads, StopSignal& stop, std::chrono::microseconds spin)
    : stop_(&stop), process_(this_process()), spin_(spin), n_workers_(sensible(n_threads)),
      queues_(n_workers_) {}

bool ThreadPool::is_of_this_process() const noexcept { return process_ == this_process(); }

ThreadPool::~ThreadPool() {
    if (!is_of_this_process()) {  // threads of another process cannot be joined: they are left alone
        new std::vector<std::thread>(std::move(threads_));
        return;
    }
    closing_.store(true);
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void ThreadPool::run(std::size_t n_tasks, const Task& task) { run_queues(n_tasks, 1, task); }

void ThreadPool::run_at_home(std::size_t n_tasks, const Task& task) {
    run_queues(n_tasks, n_workers_, task);
}

void ThreadPool::run_queues(std::size_t n_tasks, std::size_t n_queues, const Task& task) {
    if (n_tasks == 0) return;
    start_threads(std::min(n_workers_, n_tasks) - 1);
    task_ = &task;
    failure_ = nullptr;
    n_queues_ = n_queues;
    for (std::size_t q = 0; q < n_queues; ++q) {
        queues_[q].next.store(n_tasks * q / n_queues);
        queues_[q].end = n_tasks * (q + 1) / n_queues;
    }
    const bool alone = threads_.empty() || n_tasks == 1 || rests();
    if (!alone) {
        {
            const std::lock_guard lock(mutex_);
            n_busy_ = threads_.size();
        }
        round_.fetch_add(1);
        round_.notify_all();
    }
    const auto begin = std::chrono::steady_clock::now();
    take_tasks(0);
    if (!alone) {
        const auto end = std::chrono::steady_clock::now();
        wait_for_workers();
        heed_wait(end - begin, std::chrono::steady_clock::now() - end);
    }
    if (stop_->requested()) throw Interrupted();
    if (failure_) std::rethrow_exception(failure_);
}

// Whether the calling thread works alone in this round.
bool ThreadPool::rests() {
    if (n_rest_ == 0) return false;
    --n_rest_;
    return true;
}

// A wait much longer than the work before it means that a thread has lost its core to another process.
// With many small steps that would happen again and again, so for a while it works alone, each time
// for twice as long.
void ThreadPool::heed_wait(Duration worked, Duration waited) {
    constexpr std::chrono::microseconds long_wait{400};
    constexpr std::size_t first_rest = 32, most_rest = 4096;
    if (spin_ <= short_spin || waited < long_wait || waited < 4 * worked) return;
    next_rest_ = std::clamp(2 * next_rest_, first_rest, most_rest);
    n_rest_ = next_rest_;
}

// All threads sleep or spin when this is called, so the round cannot change under a new one.
void ThreadPool::start_threads(std::size_t n_wanted) {
    try {
        while (may_start_ && threads_.size() < n_wanted) {
            threads_.emplace_back(&ThreadPool::worker_loop, this, threads_.size() + 1,
                                  round_.load());
        }
    } catch (const std::system_error&) {
        may_start_ = false;  // the system has no more; what runs is enough
    }
}

// A worker's own queue first, then those of others.
void ThreadPool::take_tasks(std::size_t worker) {
    for (std::size_t k = 0; k < n_queues_; ++k) {
        if (!empty_queue(queues_[(worker + k) % n_queues_], worker)) return;
    }
}

// Returns false when asked to stop.
bool ThreadPool::empty_queue(Queue& queue, std::size_t worker) {
    while (true) {
        stop_->poll();  // first: a caller for whom no task is left has looked at least once, too
        if (stop_->requested()) return false;
        const std::size_t task = queue.next.fetch_add(1);
        if (task >= queue.end) return true;
        try {
            (*task_)(task, worker);
        } catch (...) {
            keep_exception(task);
        }
    }
}

void ThreadPool::keep_exception(std::size_t task) {
    const std::lock_guard lock(mutex_);
    // No more is begun. Of one queue all tasks before this one are taken: the first failure is known.
    for (Queue& queue : queues_) queue.next.store(queue.end);
    if (!failure_ || task < failed_task_) {
        failure_ = std::current_exception();
        failed_task_ = task;
    }
}

void ThreadPool::worker_loop(std::size_t worker, std::uint32_t seen) {
    while (wait_for_work(seen)) {
        seen = round_.load();
        take_tasks(worker);
        const std::lock_guard lock(mutex_);
        if (--n_busy_ == 0) all_done_.notify_one();
    }
}

// Returns false when the pool closes.
bool ThreadPool::wait_for_work(std::uint32_t seen) const {
    const auto give_up = std::chrono::steady_clock::now() + spin_;
    while (round_.load() == seen) {
        if (std::chrono::steady_clock::now() > give_up) round_.wait(seen);
    }
    return !closing_.load();
}

void ThreadPool::wait_for_workers() {
    const auto give_up = std::chrono::steady_clock::now() + spin_;
    while (n_busy_.load() > 0 && std::chrono::steady_clock::now() < give_up) {
    }
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, look_for_stop_every, [this] { return n_busy_ == 0; })) {
        lock.unlock();
        stop_->poll();
        lock.lock();
    }
}

}  // namespace branchline
