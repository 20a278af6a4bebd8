// Rows of a kernel matrix, computed when first needed and kept while there is room.
//
// Places are given out in a ring: new rows stand side by side, so that many are computed in one product,
// and when the ring is full the oldest go first.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "svm/row_source.hpp"
#include "svm/solver_room.hpp"

namespace branchline::svm {

template <class Real>
class RowCache {
  public:
    // Holds at least `at_once` rows, whatever `bytes` says, and never more than there are.
    RowCache(const RowSource<Real>& source, std::size_t bytes, std::size_t at_once,
             ThreadPool& pool, SolverRoom<Real>& room)
        : source_(source), pool_(pool), room_(room), n_(source.n_rows()),
          n_places_(std::min(n_, std::max(at_once, bytes / (n_ * sizeof(Real))))),
          place_of_row_(n_, none), row_of_place_(n_places_, none) {}

    // Pointers to the given distinct rows, at most `at_once`; good until the next call.
    void take(std::span<const std::uint32_t> rows, std::vector<const Real*>& out) {
        out.resize(rows.size());
        missing_.clear();
        ++round_;
        held_in_.resize(n_places_, 0);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out[i] = source_.stored(rows[i]);
            if (out[i] != nullptr) continue;
            const std::uint32_t place = place_of_row_[rows[i]];
            if (place == none) {
                missing_.push_back(rows[i]);
            } else {
                held_in_[place] = round_;
            }
        }
        if (!missing_.empty()) compute_missing();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (out[i] == nullptr) out[i] = row_at(place_of_row_[rows[i]]);
        }
    }

    std::size_t n_places() const { return n_places_; }

  private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t columns_a_task = 2048;

    Real* row_at(std::size_t place) { return values_ + place * n_; }

    void compute_missing() {
        values_ = room_.rows(n_places_ * n_);
        std::size_t done = 0;
        while (done < missing_.size()) {
            const std::size_t begin = next_free_place();
            std::size_t end = begin;
            while (end < n_places_ && done + (end - begin) < missing_.size() &&
                   held_in_[end] != round_) {
                give_place(end, missing_[done + (end - begin)]);
                ++end;
            }
            fill(std::span(missing_).subspan(done, end - begin), begin);
            done += end - begin;
            next_ = end;
        }
    }

    // The next place of the ring that holds no row of this call.
    std::size_t next_free_place() {
        for (std::size_t tries = 0; tries <= n_places_; ++tries, ++next_) {
            if (next_ >= n_places_) next_ = 0;
            if (held_in_[next_] != round_) return next_;
        }
        throw std::logic_error("more rows at once than the cache holds");
    }

    void give_place(std::size_t place, std::uint32_t row) {
        if (row_of_place_[place] != none) place_of_row_[row_of_place_[place]] = none;
        row_of_place_[place] = row;
        place_of_row_[row] = static_cast<std::uint32_t>(place);
        held_in_[place] = round_;
    }

    void fill(std::span<const std::uint32_t> rows, std::size_t place) {
        const std::size_t n_tasks = (n_ + columns_a_task - 1) / columns_a_task;
        pool_.run(n_tasks, [&](std::size_t task, std::size_t) {
            const std::size_t first = task * columns_a_task;
            const std::size_t last = std::min(n_, first + columns_a_task);
            source_.fill(rows, first, last, row_at(place) + first, n_);
        });
    }

    const RowSource<Real>& source_;
    ThreadPool& pool_;
    SolverRoom<Real>& room_;
    std::size_t n_, n_places_, next_ = 0;
    Real* values_ = nullptr;
    std::vector<std::uint32_t> place_of_row_, row_of_place_, missing_;
    std::vector<std::uint64_t> held_in_;  // the last call that needs the row at a place
    std::uint64_t round_ = 0;
};

}  // namespace branchline::svm
