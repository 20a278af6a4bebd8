// Room for large results. A page of memory costs its first use; large pages make that 500 times rarer.
#pragma once

#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace branchline::bindings {

struct FreeArray {
    void operator()(double* values) const noexcept { std::free(values); }
};
using LargeArray = std::unique_ptr<double[], FreeArray>;

// Not filled. Throws std::bad_alloc.
inline LargeArray large_array(std::size_t n) {
    constexpr std::size_t page = std::size_t{1} << 21,
                          most = std::numeric_limits<std::size_t>::max();
    if (n > (most - page) / sizeof(double)) throw std::bad_alloc();
    std::size_t n_bytes = n > 0 ? n * sizeof(double) : sizeof(double);
    void* found = nullptr;
#if defined(__linux__)
    if (n_bytes >= 2 * page) {
        n_bytes = (n_bytes + page - 1) / page * page;
        found = std::aligned_alloc(page, n_bytes);
        if (found != nullptr) madvise(found, n_bytes, MADV_HUGEPAGE);  // only advice: may fail
    }
#endif
    if (found == nullptr) found = std::malloc(n_bytes);
    if (found == nullptr) throw std::bad_alloc();
    return LargeArray(static_cast<double*>(found));
}

}  // namespace branchline::bindings
