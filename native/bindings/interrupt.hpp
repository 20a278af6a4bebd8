// Long work without the interpreter lock, stopped by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include "branchline/stop_signal.hpp"

namespace branchline::bindings {

// Calls work(stop) with the lock released. The calling thread takes the lock back every 100 ms to
// look for signals; on Ctrl-C the kernel stops and Python's own exception (already set) goes on.
template <class Work>
auto without_lock(Work&& work) {
    StopSignal stop([] {
        const nanobind::gil_scoped_acquire lock;
        return PyErr_CheckSignals() != 0;
    });
    try {
        const nanobind::gil_scoped_release released;
        return work(stop);
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

}  // namespace branchline::bindings
