// Histograms: for each bin of each bundle the sums of gradients, hessians and units.
//
// A node of few rows has them packed, a word a bin: half of the memory, and sums and differences of words
// are those of their fields. Others have g apart, h and n together.
#pragma once

#include <memory>
#include <vector>

#include "boosting/level_kernels.hpp"
#include "boosting/rows.hpp"

namespace branchline::boosting {

struct Histogram {
    std::vector<std::uint64_t> words;  // packed
    std::vector<std::int64_t> g;       // otherwise
    std::vector<std::uint64_t> hn;

    Histogram() = default;
    Histogram(std::size_t n_bins, bool packed)
        : words(packed ? n_bins : 0), g(packed ? 0 : n_bins), hn(packed ? 0 : n_bins) {}

    bool is_packed() const { return !words.empty(); }
    std::uint64_t* words_of(const BlockedRows& rows, std::size_t bundle) {
        return words.data() + rows.first_bin[bundle];
    }
    Bins bins_of(const BlockedRows& rows, std::size_t bundle) {
        const std::size_t first = rows.first_bin[bundle];
        return {g.data() + first, hn.data() + first, rows.bundles[bundle].n_bins};
    }
};

// Histograms that are used again and again: there are as many as were ever needed at once.
class HistogramPool {
  public:
    explicit HistogramPool(std::size_t n_bins) : n_bins_(n_bins) {}

    void limit(std::size_t most_bytes) { most_words_ = std::max(8 * n_bins_, most_bytes / 8); }

    std::unique_ptr<Histogram> take(bool packed) {
        n_words_ += words_of(packed);
        auto& free = packed ? free_packed_ : free_;
        if (free.empty()) return std::make_unique<Histogram>(n_bins_, packed);
        auto histogram = std::move(free.back());
        free.pop_back();
        return histogram;
    }
    void give_back(std::unique_ptr<Histogram>& histogram) {
        if (!histogram) return;
        const bool packed = histogram->is_packed();
        n_words_ -= words_of(packed);
        (packed ? free_packed_ : free_).push_back(std::move(histogram));
    }
    // Whether another one would be more than memory allows.
    bool is_full() const { return n_words_ >= most_words_; }

  private:
    std::size_t words_of(bool packed) const { return packed ? n_bins_ : 2 * n_bins_; }

    std::size_t n_bins_, most_words_ = 0, n_words_ = 0;
    std::vector<std::unique_ptr<Histogram>> free_, free_packed_;
};

// The integers of a node, in the units of histograms.
struct NodeSums {
    std::int64_t g = 0;
    std::uint64_t hn = 0;

    double n() const { return static_cast<double>(hn & 0xFFFF'FFFF); }
    double h() const { return static_cast<double>(hn >> sum_h_shift); }
    NodeSums operator-(const NodeSums& other) const { return {g - other.g, hn - other.hn}; }
    NodeSums& operator+=(const NodeSums& other) {
        g += other.g;
        hn += other.hn;
        return *this;
    }
};

// Sums of some rows, from their words.
inline NodeSums sums_of_word(std::uint64_t word) {
    return {static_cast<std::int64_t>(word) >> word_g_shift,
            ((word >> word_h_shift) & word_h_mask) << sum_h_shift | (word & word_n_mask)};
}
inline std::uint64_t word_of_sums(const NodeSums& sums) {
    return (static_cast<std::uint64_t>(sums.g) << word_g_shift) +
           ((sums.hn >> sum_h_shift) << word_h_shift) + (sums.hn & 0xFFFF'FFFF);
}

// The bins of one column of a node, whatever they are stored as.
class BinReader {
  public:
    BinReader(const BlockedRows& rows, const BoostingKernels& kernels)
        : rows_(rows), kernels_(kernels) {}

    // What is returned is good until the next call, or as long as the histogram.
    Bins read(Histogram& histogram, std::size_t column, const NodeSums& all) {
        const BundledColumn& at = rows_.of_column[column];
        const std::size_t n = rows_.bins_of(column);
        const bool is_single = rows_.bundles[at.bundle].is_single();
        if (is_single && !histogram.is_packed()) return histogram.bins_of(rows_, at.bundle);
        const Bins bins = room(n);
        if (is_single) {
            kernels_.unpack(histogram.words_of(rows_, at.bundle), bins);
        } else {
            read_member(histogram, at, all, bins);
        }
        return bins;
    }

    // Whether a column that is counted with others differs in a node at all.
    bool varies(Histogram& histogram, std::size_t column) const {
        const BundledColumn& at = rows_.of_column[column];
        if (rows_.bundles[at.bundle].is_single()) return true;
        const std::size_t first = rows_.first_bin[at.bundle] + at.first_bin;
        const std::uint64_t* of_bin =
            (histogram.is_packed() ? histogram.words : histogram.hn).data() + first;
        return std::any_of(of_bin, of_bin + rows_.columns[column].n_codes,
                           [](std::uint64_t held) { return held != 0; });
    }

  private:
    Bins room(std::size_t n) {
        if (g_.size() < n) {
            g_.resize(n);
            hn_.resize(n);
        }
        return {g_.data(), hn_.data(), n};
    }
    void read_member(Histogram& histogram, const BundledColumn& at, const NodeSums& all,
                     Bins bins) const {
        const std::size_t first = rows_.first_bin[at.bundle];
        NodeSums usual = all;
        for (Code code = 0; code < bins.n; ++code) {
            if (code == at.usual) continue;
            const std::size_t bin = first + at.bin_of(code);
            const NodeSums here = histogram.is_packed()
                                      ? sums_of_word(histogram.words[bin])
                                      : NodeSums{histogram.g[bin], histogram.hn[bin]};
            bins.g[code] = here.g;
            bins.hn[code] = here.hn;
            usual = usual - here;
        }
        bins.g[at.usual] = usual.g;
        bins.hn[at.usual] = usual.hn;
    }

    const BlockedRows& rows_;
    const BoostingKernels& kernels_;
    std::vector<std::int64_t> g_;
    std::vector<std::uint64_t> hn_;
};

}  // namespace branchline::boosting
