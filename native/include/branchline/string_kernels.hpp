// Kernels on strings: how alike two sequences of symbols are, for many pairs at once.
//
// A symbol is any 32-bit number (Unicode code points, codes of letters). s[i] is symbol i of s, |s|
// its length, s[i:i+l] the substring of l symbols from i on.
//
// spectrum          Σ over all strings u of `order` symbols of (how often u is in s) · (… in t).
// common_substrings Σ over all (i, j, l), l ≥ order, with s[i:i+l] = t[j:j+l], of decay^l: every
//                   pair of occurrences of every common substring counts.
// subsequence       Σ over all places i₁ < … < i_p of s and j₁ < … < j_p of t, p = order, that
//                   spell the same string, of decay^(i_p − i₁ + 1 + j_p − j₁ + 1): gaps are
//                   allowed, and paid for (Lodhi et al. 2002).
// weighted_degree   Σ_δ a_δ Σ_i Σ_{l=1..d} b_l [s[i:i+l] = t[i+δ:i+δ+l]], d = order, δ = −shift …
//                   shift, b_l = 2(d − l + 1) / (d(d + 1)), a_0 = 1, a_δ = 1 / (2(|δ| + 1)): common
//                   substrings at the same place, or nearly (Rätsch, Sonnenburg, Schölkopf 2005).
//
// All are positive semidefinite: the first three count features; the last does because the cosine
// sums 1 + Σ_δ cos(δω) / (δ + 1) are never negative (Rogosinski and Szegő). A string that
// has nothing of what is counted, as the empty one, has kernel 0 with every string, itself too.
//
// Cost of a pair: spectrum, the windows that both have (a list of strings is kept for each window);
// common_substrings |s||t| cells; subsequence order · |s||t|; weighted_degree (2 shift + 1) · |s|.
// The last three work on 16 pairs at once (128 · order · |t| bytes per thread). Values depend
// on the two strings and which is first, not on the others of the call, the threads or the
// processor; K(s, t) and K(t, s) differ by rounding, and a symmetric matrix holds one of the two in
// both places. Sums are of positive terms: the relative error is about (|s| + |t|) · 1e-16.
//
// Numbers too large for a double (decay > 1, or very long strings) throw std::overflow_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "branchline/stop_signal.hpp"

namespace branchline {

enum class StringKernelKind : int { spectrum, common_substrings, subsequence, weighted_degree };

struct StringForm {
    // Throws std::invalid_argument unless order ≥ 1, decay > 0 (≤ 1 for subsequences) and finite,
    // and decay^(2 order) is well above the smallest double.
    StringForm(int kind, std::size_t order, double decay, std::size_t shift);

    StringKernelKind kind;
    std::size_t order;
    double decay;
    std::size_t shift;
};

// Strings one after the other: string i is symbols[offsets[i] .. offsets[i + 1]).
struct StringBatch {
    // Throws std::invalid_argument unless offsets rise from 0 to the number of symbols.
    StringBatch(std::span<const std::uint32_t> all_symbols, std::span<const std::int64_t> starts);

    std::size_t n_strings() const { return offsets.size() - 1; }
    std::size_t length(std::size_t i) const {
        return static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return symbols.subspan(static_cast<std::size_t>(offsets[i]), length(i));
    }

    std::span<const std::uint32_t> symbols;
    std::span<const std::int64_t> offsets;
};

// out[i * b.n_strings() + j] = K(a_i, b_j).
void string_gram(const StringForm& form, const StringBatch& a, const StringBatch& b,
                 std::span<double> out, int n_threads, StopSignal& stop);

// out[i * a.n_strings() + j] = K(a_i, a_j), for half the work.
void string_gram(const StringForm& form, const StringBatch& a, std::span<double> out, int n_threads,
                 StopSignal& stop);

// out[i] = K(a_i, a_i).
void string_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                     int n_threads, StopSignal& stop);

}  // namespace branchline
