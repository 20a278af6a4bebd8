// Counts of windows, and which strings have them.
#pragma once

#include "branchline/string_kernels.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline::strings {

// As string_gram; b is nullptr when the strings of a are compared with each other.
void spectrum_gram(const StringForm& form, const StringBatch& a, const StringBatch* b,
                   std::span<double> out, ThreadPool& pool, StopSignal& stop);

void spectrum_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                       StopSignal& stop);

}  // namespace branchline::strings
