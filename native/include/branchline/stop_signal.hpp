// A way to stop long work: Ctrl-C reaches kernels through this object.
//
// The thread that made the signal looks for an interruption (at most every 100 ms); any thread may
// ask whether to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace branchline {

// Thrown out of a kernel when the caller asked it to stop.
class Interrupted : public std::exception {
  public:
    const char* what() const noexcept override { return "interrupted"; }
};

class StopSignal {
  public:
    // `was_interrupted` is only ever called on the thread that makes the signal, and must not throw.
    explicit StopSignal(std::function<bool()> was_interrupted = {})
        : was_interrupted_(std::move(was_interrupted)) {}

    bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

    void request() noexcept { requested_.store(true, std::memory_order_relaxed); }

    // Looks for an interruption, cheaply: most calls only read a clock. Does nothing on a worker.
    void poll() {
        if (!was_interrupted_ || requested() || std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_look_) return;
        next_look_ = now + std::chrono::milliseconds(100);
        if (was_interrupted_()) request();
    }

    // For the stages of a long task: throws Interrupted when the caller wants to stop.
    void check() {
        poll();
        if (requested()) throw Interrupted();
    }

  private:
    std::function<bool()> was_interrupted_;
    std::atomic<bool> requested_{false};
    std::chrono::steady_clock::time_point next_look_{};
    std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace branchline
