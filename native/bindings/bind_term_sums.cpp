#include "arrays.hpp"
#include "branchline/term_sums.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InNumbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InWords = In<std::uint64_t>;
using Sums = std::vector<std::uint64_t>(const EncodedNumbers&, std::span<const std::uint64_t>,
                                        StopSignal&);

Out<std::uint64_t> sums_of(Sums& sums, const InNumbers& numbers, const InWords& words,
                           std::size_t n_words) {
    require(words.shape(0) == n_words, "a word for each row, or for each term");
    const EncodedNumbers borrowed{numbers.data(), numbers.shape(0), numbers.shape(1)};
    return give(
        without_lock([&](StopSignal& stop) { return sums(borrowed, span_of(words), stop); }));
}

}  // namespace

void add_term_sums(nb::module_& module) {
    module.def(
        "term_bit_sums",
        [](const InNumbers& numbers, const InWords& words) {
            return sums_of(bit_sums, numbers, words, numbers.shape(0));
        },
        nb::arg("numbers").noconvert(), nb::arg("words").noconvert(),
        "For each term, the sum of the bits of its numbers times the words of the rows.");
    module.def(
        "term_word_sums",
        [](const InNumbers& numbers, const InWords& words) {
            return sums_of(word_sums, numbers, words, numbers.shape(0));
        },
        nb::arg("numbers").noconvert(), nb::arg("words").noconvert(),
        "For each term, the sum of the scrambled bits of its numbers times the words of the rows.");
    module.def(
        "term_row_sums",
        [](const InNumbers& numbers, const InWords& words) {
            return sums_of(row_sums, numbers, words, numbers.shape(1));
        },
        nb::arg("numbers").noconvert(), nb::arg("words").noconvert(),
        "For each row, the sum of its numbers' bits scrambled with the words of the terms.");
}

}  // namespace branchline::bindings
