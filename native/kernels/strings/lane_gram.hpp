// Matrices of the kernels that work in lanes: strings sorted by length, packed, handed to threads.
#pragma once

#include "branchline/string_kernels.hpp"
#include "branchline/thread_pool.hpp"
#include "strings/lane_kernels.hpp"

namespace branchline::strings {

// As string_gram, for the kernel of the form; b is nullptr when a is compared with itself.
void lane_gram(const StringForm& form, const StringBatch& a, const StringBatch* b,
               std::span<double> out, ThreadPool& pool, StopSignal& stop);

void lane_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                   ThreadPool& pool, StopSignal& stop);

}  // namespace branchline::strings
