// Long work without the interpreter lock, stopped by Ctrl-C.
//
// 1. The calling thread takes the lock back every 100 ms to look for signals, which only Python's main
//    thread gets. Another thread is interrupted by name: `interrupt_thread(ident)`.
// 2. A thread that asks for the lock of an interpreter that ends is ended by Python on the spot (up to
//    3.13), with its C++ frames, which aborts the process. So, before that happens (atexit), all work of
//    other threads is stopped and waited for, and none of them takes the lock any more: they sleep
//    until the process is gone, as Python 3.14 lets them.
#pragma once

#include <nanobind/nanobind.h>

#include "branchline/stop_signal.hpp"

namespace branchline::bindings {

// The lock of the interpreter is released while this lives.
class ReleasedLock {
  public:
    ReleasedLock();
    ~ReleasedLock();
    ReleasedLock(const ReleasedLock&) = delete;
    ReleasedLock& operator=(const ReleasedLock&) = delete;

    // Calls look() with the lock: true asks to stop, with a Python exception set. Also true when this
    // thread was interrupted, and (without the lock) when the interpreter ends.
    template <class Look>
    bool wants_to_stop(Look&& look) {
        if (process_ends()) return true;
        PyEval_RestoreThread(state_);
        const bool stops = PyErr_CheckSignals() != 0 || was_interrupted() || look();
        state_ = PyEval_SaveThread();
        return stops;
    }

  private:
    static bool process_ends() noexcept;
    static bool was_interrupted();

    PyThreadState* state_;
};

// Calls work(stop) with the lock released, and look() with the lock about every 100 ms. On Ctrl-C, or
// when look() returns true, the kernel stops and Python's own exception (already set) goes on.
template <class Work, class Look>
auto without_lock(Work&& work, Look&& look) {
    try {
        ReleasedLock released;
        StopSignal stop([&] { return released.wants_to_stop(look); });
        return work(stop);
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

template <class Work>
auto without_lock(Work&& work) {
    return without_lock(std::forward<Work>(work), [] { return false; });
}

}  // namespace branchline::bindings
