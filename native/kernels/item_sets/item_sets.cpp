#include "branchline/item_sets.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "branchline/thread_pool.hpp"
#include "item_sets/bit_kernels.hpp"
#include "item_sets/set_places.hpp"

namespace branchline {

namespace {

constexpr std::size_t bits_of_word = 64;

// Where an item stands: in which basket, and at which place among all items.
struct Place {
    std::uint32_t basket;
    std::int64_t after;  // the next item of the basket
};

// What one task finds.
struct Found {
    std::vector<std::uint32_t> sizes, items;
    std::vector<std::int64_t> units;
};

// An item that may join the set at hand, with the rows that hold both.
struct Candidate {
    std::uint32_t item;
    std::int64_t units;
    std::size_t bits;  // where its bit set begins
};

class Search {
  public:
    Search(const Baskets& baskets, const ItemSetLimits& limits, StopSignal& stop)
        : baskets_(baskets), limits_(limits), stop_(stop),
          kernels_(bit_kernels_for(best_cpu_level())), first_place_(baskets.n_items + 1, 0),
          places_(baskets.items.size()) {
        for (const std::uint32_t item : baskets.items) ++first_place_[item + 1];
        for (std::size_t item = 0; item < baskets.n_items; ++item) {
            first_place_[item + 1] += first_place_[item];
        }
        std::vector<std::size_t> next(first_place_.begin(), first_place_.end() - 1);
        for (std::size_t basket = 0; basket < baskets.size(); ++basket) {
            for (std::int64_t at = baskets.starts[basket]; at < baskets.starts[basket + 1]; ++at) {
                places_[next[baskets.items[static_cast<std::size_t>(at)]]++] = {
                    static_cast<std::uint32_t>(basket), at + 1};
            }
        }
    }

    std::vector<Found> run(int n_threads) {
        std::vector<Found> found(baskets_.n_items);
        ThreadPool pool(threads_for(baskets_.items.size(), 10'000, n_threads), stop_);
        pool.run(baskets_.n_items, [&](std::size_t item, std::size_t) {
            if (is_within_limit()) Task(*this, static_cast<std::uint32_t>(item), found[item]).run();
        });
        return found;
    }

    bool is_within_limit() const noexcept {
        return n_sets_.load(std::memory_order_relaxed) <= limits_.max_sets;
    }

  private:
    // All sets whose first item is one item.
    class Task {
      public:
        Task(Search& search, std::uint32_t item, Found& found)
            : search_(search), found_(found),
              rows_(search.places_.data() + search.first_place_[item],
                    search.first_place_[item + 1] - search.first_place_[item]),
              n_words_((rows_.size() + bits_of_word - 1) / bits_of_word), set_{item} {}

        void run() {
            std::int64_t units = 0;
            for (const Place& row : rows_) units += search_.units(row.basket);
            if (units < search_.limits_.min_units) return;
            emit(units);
            if (search_.limits_.max_items > 1) extend(partners());
        }

      private:
        // The items after the first that occur with it often enough, with their bit sets.
        std::vector<Candidate> partners() {
            const std::size_t first = set_.front();
            std::vector<std::int64_t> units(search_.baskets_.n_items - first, 0);
            for_later_items([&](std::size_t, std::uint32_t item, std::int64_t more) {
                units[item - first] += more;
            });
            std::vector<Candidate> partners;
            std::vector<std::size_t> bits(units.size(), nothing);
            for (std::size_t at = 1; at < units.size(); ++at) {
                if (units[at] < search_.limits_.min_units) continue;
                bits[at] = partners.size() * n_words_;
                partners.push_back({static_cast<std::uint32_t>(first + at), units[at], bits[at]});
            }
            words_.assign(partners.size() * n_words_, 0);
            for_later_items([&](std::size_t row, std::uint32_t item, std::int64_t) {
                const std::size_t begin = bits[item - first];
                if (begin == nothing) return;
                words_[begin + row / bits_of_word] |= std::uint64_t{1} << (row % bits_of_word);
            });
            return partners;
        }

        template <class Use>
        void for_later_items(Use&& use) {
            const Baskets& baskets = search_.baskets_;
            for (std::size_t row = 0; row < rows_.size(); ++row) {
                const Place& place = rows_[row];
                const std::int64_t units = search_.units(place.basket);
                for (std::int64_t at = place.after; at < baskets.starts[place.basket + 1]; ++at) {
                    use(row, baskets.items[static_cast<std::size_t>(at)], units);
                }
            }
        }

        // Adds each candidate to the set at hand, and goes on with those after it.
        void extend(const std::vector<Candidate>& candidates) {
            for (std::size_t at = 0; at < candidates.size(); ++at) {
                if (!search_.is_within_limit()) return;
                search_.stop_.check();
                set_.push_back(candidates[at].item);
                emit(candidates[at].units);
                if (set_.size() < search_.limits_.max_items) {
                    const std::size_t n_words = words_.size();
                    extend(joined(candidates, at));
                    words_.resize(n_words);
                }
                set_.pop_back();
            }
        }

        // The candidates after one that occur with it often enough.
        std::vector<Candidate> joined(const std::vector<Candidate>& candidates, std::size_t one) {
            std::vector<Candidate> kept;
            for (std::size_t other = one + 1; other < candidates.size(); ++other) {
                const std::size_t end = words_.size();
                words_.resize(end + n_words_);
                std::int64_t units = search_.kernels_.intersect(&words_[candidates[one].bits],
                                                                &words_[candidates[other].bits],
                                                                n_words_, &words_[end]);
                if (!search_.baskets_.units.empty()) units = units_of_bits(&words_[end]);
                if (units >= search_.limits_.min_units) {
                    kept.push_back({candidates[other].item, units, end});
                } else {
                    words_.resize(end);
                }
            }
            return kept;
        }

        std::int64_t units_of_bits(const std::uint64_t* words) const {
            std::int64_t units = 0;
            for (std::size_t word = 0; word < n_words_; ++word) {
                for (std::uint64_t left = words[word]; left != 0; left &= left - 1) {
                    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
                    units += search_.units(rows_[word * bits_of_word + bit].basket);
                }
            }
            return units;
        }

        void emit(std::int64_t units) {
            found_.sizes.push_back(static_cast<std::uint32_t>(set_.size()));
            found_.items.insert(found_.items.end(), set_.begin(), set_.end());
            found_.units.push_back(units);
            search_.n_sets_.fetch_add(1, std::memory_order_relaxed);
        }

        static constexpr std::size_t nothing = ~std::size_t{0};

        Search& search_;
        Found& found_;
        std::span<const Place> rows_;
        std::size_t n_words_;
        std::vector<std::uint32_t> set_;
        std::vector<std::uint64_t> words_;
    };

    std::int64_t units(std::size_t basket) const noexcept {
        return baskets_.units.empty() ? 1 : baskets_.units[basket];
    }

    const Baskets& baskets_;
    const ItemSetLimits& limits_;
    StopSignal& stop_;
    const BitKernels& kernels_;
    std::vector<std::size_t> first_place_;  // of each item among places_
    std::vector<Place> places_;
    std::atomic<std::size_t> n_sets_{0};
};

ItemSets put_together(const std::vector<Found>& found) {
    ItemSets sets;
    for (const Found& task : found) {
        sets.items.insert(sets.items.end(), task.items.begin(), task.items.end());
        sets.units.insert(sets.units.end(), task.units.begin(), task.units.end());
        for (const std::uint32_t size : task.sizes)
            sets.starts.push_back(sets.starts.back() + size);
    }
    return sets;
}

}  // namespace

ItemSets frequent_item_sets(const Baskets& baskets, const ItemSetLimits& limits, int n_threads,
                            StopSignal& stop) {
    Search search(baskets, limits, stop);
    const std::vector<Found> found = search.run(n_threads);
    ItemSets sets;
    if (!search.is_within_limit()) {
        sets.is_complete = false;
        return sets;
    }
    sets = put_together(found);
    find_subsets(sets, stop);
    return sets;
}

}  // namespace branchline
