// Growing where rows are some of a table's: histograms are added elsewhere, and tests come from the part
// that looks for them. All parts take and give back the same histograms in the same order, so all know
// which of them are there.
#include <algorithm>

#include "boosting/checks.hpp"
#include "boosting/grower.hpp"
#include "boosting/part_cuts.hpp"

namespace branchline::boosting {

void BoostingGrower::collect_parts(const Pair& pair) {
    for_shares(work_of(nodes_[pair.small].view.sums.n(), pair.by_share, 0.5),
               [&](std::size_t s, std::size_t worker) {
                   if (pair.by_share) {
                       counter_.count_share(pair.small, shares_[s], node_rows_, words_, worker);
                   }
                   for (std::size_t b = shares_[s].first; b < shares_[s].end; ++b) {
                       collect(*nodes_[pair.small].histogram, b, pair.by_share, worker);
                   }
               });
    gather(*nodes_[pair.small].histogram);
}

void BoostingGrower::gather(Histogram& histogram) {
    if (histogram.is_packed()) {
        rows_.parts->gather(histogram.words);
        return;
    }
    const std::size_t n = histogram.g.size();
    if (!looks_ && fits_words(histogram)) {
        part_bins_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            part_bins_[i] = word_of_sums({histogram.g[i], histogram.hn[i]});
        }
        rows_.parts->gather(part_bins_);
        return;
    }
    // One message instead of two.
    part_bins_.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        part_bins_[i] = static_cast<std::uint64_t>(histogram.g[i]);
        part_bins_[n + i] = histogram.hn[i];
    }
    rows_.parts->gather(part_bins_);
    if (!looks_) return;
    for (std::size_t i = 0; i < n; ++i) {
        histogram.g[i] = static_cast<std::int64_t>(part_bins_[i]);
        histogram.hn[i] = part_bins_[n + i];
    }
}

// Whether each bin has so few rows here that a word holds it: half of the bytes on their way.
bool BoostingGrower::fits_words(const Histogram& histogram) const {
    const WordScale& scale = words_.scale();
    return scale.is_light && scale.units_shift == 0 &&
           std::all_of(histogram.hn.begin(), histogram.hn.end(),
                       [](std::uint64_t hn) { return (hn & 0xFFFF'FFFF) <= most_word_rows; });
}

// -- what the part that looks for tests tells ---------------------------------------------------------

void BoostingGrower::tell_root(bool finds) {
    GrowingNode& root = nodes_[0];
    std::vector<std::uint64_t> words;
    if (looks_) {
        write_sums(root.view.sums, words);
        if (finds) write_cut(root.cut, words);
    }
    rows_.parts->tell(words);
    if (looks_) return;
    WordReader reader(words);
    root.view.sums = reader.sums();
    if (finds) root.cut = reader.cut(rows_);
    reader.finish();
    if (finds) drop_unused(root);
}

void BoostingGrower::tell_pair(const Pair& pair, bool finds_small, bool finds_large) {
    NodeIds nodes;
    if (finds_small) nodes.push_back(pair.small);
    if (finds_large) nodes.push_back(pair.large);
    tell_cuts(nodes);
}

void BoostingGrower::tell_cuts(const NodeIds& nodes) {
    std::vector<std::uint64_t> words;
    if (looks_) {
        for (const std::size_t node : nodes) write_cut(nodes_[node].cut, words);
    }
    rows_.parts->tell(words);
    if (looks_) return;
    WordReader reader(words);
    for (const std::size_t node : nodes) {
        nodes_[node].cut = reader.cut(rows_);
        drop_unused(nodes_[node]);
    }
    reader.finish();
}

// A test of a level, and the nodes in which it gains; returns whether there is one.
bool BoostingGrower::tell_level(bool is_found, NodeIds& parents) {
    std::vector<std::uint64_t> words;
    if (looks_) {
        words.push_back(is_found);
        for (const std::size_t node : parents) {
            words.push_back(node);
            write_cut(nodes_[node].cut, words);
        }
    }
    rows_.parts->gather({});
    rows_.parts->tell(words);
    if (looks_) return is_found;
    WordReader reader(words);
    is_found = reader.next() != 0;
    while (!reader.is_done()) {
        parents.push_back(reader.next());
        require(parents.back() < nodes_.size(), "a node that is there");
        nodes_[parents.back()].cut = reader.cut(rows_);
    }
    return is_found;
}

}  // namespace branchline::boosting

namespace branchline {

void add_words(std::span<const std::uint64_t> words, std::span<std::uint64_t> sums) {
    boosting::require(sums.size() == 2 * words.size(), "two sums for each word");
    const std::size_t n = words.size();
    for (std::size_t i = 0; i < n; ++i) {
        const boosting::NodeSums of_bin = boosting::sums_of_word(words[i]);
        sums[i] += static_cast<std::uint64_t>(of_bin.g);
        sums[n + i] += of_bin.hn;
    }
}

}  // namespace branchline
