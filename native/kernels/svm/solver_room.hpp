// Memory that one problem after another is solved in: asking the system for it anew takes longer than
// a small problem.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace branchline::svm {

template <class Real>
class SolverRoom {
  public:
    // Room for rows, touched only when written; what was there is gone when it grows.
    Real* rows(std::size_t n_values) {
        if (n_values > n_values_) {
            values_.reset();
            values_.reset(allocate(n_values));
            n_values_ = n_values;
        }
        return values_.get();
    }
    std::vector<Real> gram;  // of a working set

  private:
    struct Free {
        void operator()(Real* values) const { std::free(values); }
    };

    // In large pages, where the system has them: handing over small ones takes longer than filling them.
    static Real* allocate(std::size_t n_values) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t wanted = n_values * sizeof(Real);
        const std::size_t unit = wanted < page ? 64 : page;
        const std::size_t bytes = (wanted + unit - 1) / unit * unit;
        void* const values = std::aligned_alloc(unit, bytes);
        if (values == nullptr) throw std::bad_alloc();
#if defined(__linux__)
        if (unit == page) madvise(values, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<Real*>(values);
    }

    std::unique_ptr<Real[], Free> values_;
    std::size_t n_values_ = 0;
};

}  // namespace branchline::svm
