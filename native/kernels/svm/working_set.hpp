// Which variables move next: the worst violators, and of those that moved last the free ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "svm/svm_state.hpp"

namespace branchline::svm {

class WorkingSet {
  public:
    WorkingSet(const SvmState& state, std::size_t size) : state_(state), size_(size) {}

    // Chooses anew; in the order of variables, group 0 first.
    const std::vector<std::uint32_t>& choose() {
        is_chosen_.assign(state_.beta.size(), false);
        std::vector<std::uint32_t> chosen = kept();
        for (const std::uint32_t i : chosen) is_chosen_[i] = true;
        rank_violators();
        take_in_turn(chosen);
        std::sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(state_.group(a), a) < std::pair(state_.group(b), b);
        });
        chosen_.swap(chosen);
        return chosen_;
    }

  private:
    struct Ranked {
        double gradient;
        std::uint32_t variable;
    };

    // Half of the last set: free variables first, each in their order.
    std::vector<std::uint32_t> kept() const {
        std::vector<std::uint32_t> free, bound;
        for (const std::uint32_t i : chosen_) {
            (state_.may_rise(i) && state_.may_fall(i) ? free : bound).push_back(i);
        }
        free.insert(free.end(), bound.begin(), bound.end());
        free.resize(std::min(free.size(), size_ / 2));
        return free;
    }

    // Of each group, those that may rise by the least gradient, those that may fall by the largest.
    void rank_violators() {
        for (auto& list : lists_) list.clear();
        for (std::size_t i = 0; i < state_.beta.size(); ++i) {
            if (is_chosen_[i]) continue;
            const Ranked here{state_.gradient(i), static_cast<std::uint32_t>(i)};
            const std::size_t first = 2 * state_.group(i);
            if (state_.may_rise(i)) lists_[first].push_back(here);
            if (state_.may_fall(i)) lists_[first + 1].push_back(here);
        }
        for (std::size_t list = 0; list < lists_.size(); ++list) {
            const double sign = list % 2 == 0 ? 1 : -1;
            keep_first(lists_[list], [sign](const Ranked& a, const Ranked& b) {
                return sign * a.gradient < sign * b.gradient ||
                       (a.gradient == b.gradient && a.variable < b.variable);
            });
        }
    }

    // One of each list after the other, until the set is full or the lists are empty.
    void take_in_turn(std::vector<std::uint32_t>& chosen) {
        std::array<std::size_t, 4> at{};
        bool any = true;
        while (any && chosen.size() < size_) {
            any = false;
            for (std::size_t list = 0; list < lists_.size() && chosen.size() < size_; ++list) {
                any = add_next(lists_[list], at[list], chosen) || any;
            }
        }
    }

    template <class Before>
    void keep_first(std::vector<Ranked>& ranked, Before before) const {
        if (ranked.size() > size_) {
            const auto middle = ranked.begin() + static_cast<std::ptrdiff_t>(size_);
            std::nth_element(ranked.begin(), middle, ranked.end(), before);
            ranked.resize(size_);
        }
        std::sort(ranked.begin(), ranked.end(), before);
    }

    bool add_next(const std::vector<Ranked>& from, std::size_t& at,
                  std::vector<std::uint32_t>& chosen) {
        while (at < from.size() && is_chosen_[from[at].variable]) ++at;
        if (at == from.size()) return false;
        chosen.push_back(from[at].variable);
        is_chosen_[from[at++].variable] = true;
        return true;
    }

    const SvmState& state_;
    std::size_t size_;
    std::vector<std::uint32_t> chosen_;
    std::vector<char> is_chosen_;
    std::array<std::vector<Ranked>, 4> lists_;  // two of each group
};

}  // namespace branchline::svm
