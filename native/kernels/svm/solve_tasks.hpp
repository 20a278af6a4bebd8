// Problems that are made when their turn comes, and solutions that are used at once: of many pairs of
// classes none need be held.
#pragma once

#include <cstddef>
#include <functional>

#include "branchline/svm.hpp"

namespace branchline::svm {

struct SvmTasks {
    std::size_t n;
    // The problem of a task; what it points to lasts until the worker makes another one.
    std::function<SvmProblem(std::size_t task, std::size_t worker)> make;
    std::function<void(std::size_t task, std::size_t worker, SvmSolution&& found)> use;
};

// One task uses all threads; of several, each is solved by one. Workers are numbered below n_threads.
template <class Real>
void solve_tasks(const KernelForm& form, const PointRows<Real>& rows, const SvmTasks& tasks,
                 const SvmOptions& options, StopSignal& stop);
template <class Real>
void solve_tasks(const GivenGram<Real>& gram, const SvmTasks& tasks, const SvmOptions& options,
                 StopSignal& stop);

}  // namespace branchline::svm
