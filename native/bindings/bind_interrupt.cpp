#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "interrupt.hpp"

namespace nb = nanobind;

namespace branchline::bindings {

namespace {

std::atomic<int> n_away{
    0};  // threads at work without the lock, but for the one that ends the process
std::atomic<bool> ends{false};
std::thread::id ending_thread;  // written before `ends`

// Threads that are to stop; read and written with the lock.
std::set<unsigned long>& interrupted() {
    static auto* idents =
        new std::set<unsigned long>;  // threads may outlive what is destroyed at exit
    return *idents;
}

[[noreturn]] void sleep_until_the_process_is_gone() {
    --n_away;
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Runs in the main thread, before the interpreter ends. The other threads stop within a tenth of a
// second or so; the limit is for one that is deaf.
void stop_other_threads() {
    constexpr std::chrono::seconds limit{10};
    ending_thread = std::this_thread::get_id();
    ends.store(true);
    PyThreadState* state = PyEval_SaveThread();
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (n_away.load() > 0 && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    PyEval_RestoreThread(state);
}

void interrupt_thread(unsigned long ident) {
    interrupted().insert(ident);                                // heard by kernels
    PyThreadState_SetAsyncExc(ident, PyExc_KeyboardInterrupt);  // heard by Python code
}

// Returns whether the calling thread was interrupted; it no longer is.
bool forget_interruption() {
    const unsigned long ident = PyThread_get_thread_ident();
    if (interrupted().erase(ident) == 0) return false;
    PyThreadState_SetAsyncExc(ident, nullptr);
    return true;
}

}  // namespace

// Counted first: who ends the process sees this thread, or this thread sees that the process ends.
ReleasedLock::ReleasedLock() : state_(PyEval_SaveThread()) {
    ++n_away;
    if (process_ends()) sleep_until_the_process_is_gone();
}

ReleasedLock::~ReleasedLock() {
    if (process_ends()) sleep_until_the_process_is_gone();
    PyEval_RestoreThread(state_);
    --n_away;
}

bool ReleasedLock::process_ends() noexcept {
    return ends.load() && std::this_thread::get_id() != ending_thread;
}

bool ReleasedLock::was_interrupted() {
    if (!forget_interruption()) return false;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return true;
}

void add_interrupt(nb::module_& module) {
    module.def("interrupt_thread", &interrupt_thread, nb::arg("ident"),
               "Raise KeyboardInterrupt in another thread, in Python code or in a kernel.");
    module.def(
        "forget_interruption", &forget_interruption,
        "Whether this thread was interrupted and has not heard it yet; it will not any more.");
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&stop_other_threads));
#if !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, [] { n_away = 0; });  // a child has one thread
#endif
}

}  // namespace branchline::bindings
