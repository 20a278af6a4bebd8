#include "branchline/svm_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "branchline/sigmoid.hpp"
#include "svm/hinge_certificate.hpp"
#include "svm/solve_tasks.hpp"

namespace branchline {

namespace svm {

namespace {

void check(const PairRows& pairs, std::size_t n_rows) {
    const std::size_t n = pairs.n_rows();
    bool fits = n == n_rows && pairs.costs.size() == n && pairs.weights.size() == n &&
                pairs.copies.size() == n && pairs.rank.size() == n && pairs.n_classes() > 1;
    std::uint32_t begin = 0;
    for (const std::uint32_t end : pairs.ends) {
        fits = fits && begin < end;
        begin = end;
    }
    if (!fits) throw std::invalid_argument("values for each row, and rows for two or more classes");
    if (!std::all_of(pairs.costs.begin(), pairs.costs.end(), [](double cost) { return cost > 0; }))
        throw std::invalid_argument("costs above 0");
}

// The rows of two classes, one run after the other.
struct Pair {
    std::size_t first, n_first, second, n_second;
    std::size_t offset;  // of its rows among those of all machines
    std::size_t size() const { return n_first + n_second; }
    std::size_t row(std::size_t i) const {
        return i < n_first ? first + i : second + (i - n_first);
    }
};

std::vector<Pair> pairs_of(const PairRows& rows) {
    std::vector<Pair> pairs;
    const auto begin = [&](std::size_t k) { return k == 0 ? 0 : std::size_t{rows.ends[k - 1]}; };
    std::size_t offset = 0;
    for (std::size_t a = 0; a < rows.n_classes(); ++a) {
        for (std::size_t b = a + 1; b < rows.n_classes(); ++b) {
            pairs.push_back(
                {begin(a), rows.ends[a] - begin(a), begin(b), rows.ends[b] - begin(b), offset});
            offset += pairs.back().size();
        }
    }
    return pairs;
}

// What a worker needs to make the problem of a pair, and to finish its machine.
struct PairRoom {
    std::vector<std::uint32_t> row;
    std::vector<double> label, lower, upper, ridge, cost;
    std::vector<std::uint32_t> ranked;
    std::vector<double> left_out, weight;
    std::vector<std::uint8_t> is_positive;
    HingeCertificate certificate;
};

class AllPairs {
  public:
    AllPairs(const PairRows& rows, const SvmOptions& options)
        : rows_(rows), has_bias_(options.has_sum), pairs_(pairs_of(rows)),
          rooms_(static_cast<std::size_t>(std::max(1, options.n_threads))) {
        const std::size_t n = pairs_.size(), n_values = pairs_.back().offset + pairs_.back().size();
        for (auto* one : {&made_.bias, &made_.quadratic, &made_.primal, &made_.dual,
                          &made_.violation, &made_.slope_below, &made_.slope_above})
            one->resize(n);
        made_.n_steps.resize(n);
        made_.is_done.resize(n);
        made_.lacks_spans.resize(n);
        made_.beta.resize(n_values);
        made_.score.resize(n_values);
    }

    SvmTasks tasks() {
        return {pairs_.size(),
                [this](std::size_t task, std::size_t worker) { return problem(task, worker); },
                [this](std::size_t task, std::size_t worker, SvmSolution&& found) {
                    finish(task, rooms_[worker], found);
                }};
    }

    PairMachines machines() {
        made_.is_wrong.assign(rows_.n_rows(), 0);
        for (std::size_t task = 0; task < pairs_.size(); ++task) {
            const Pair& pair = pairs_[task];
            for (std::size_t i = 0; i < pair.size(); ++i) {
                const double side = made_.score[pair.offset + i] + made_.bias[task];
                if (i < pair.n_first ? side <= 0 : side >= 0) made_.is_wrong[pair.row(i)] = 1;
                const double beta = made_.beta[pair.offset + i];
                if (beta == 0) continue;
                made_.support_row.push_back(static_cast<std::uint32_t>(pair.row(i)));
                made_.support_beta.push_back(beta);
            }
            made_.support_end.push_back(static_cast<std::int64_t>(made_.support_row.size()));
        }
        return std::move(made_);
    }

  private:
    SvmProblem problem(std::size_t task, std::size_t worker) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        const Pair& pair = pairs_[task];
        PairRoom& room = rooms_[worker];
        const std::size_t n = pair.size();
        room.row.resize(n);
        for (auto* one : {&room.label, &room.lower, &room.upper, &room.cost}) one->resize(n);
        room.ridge.resize(rows_.is_squared ? n : 0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t row = pair.row(i);
            const bool is_first = i < pair.n_first;
            const double most = rows_.is_squared ? infinite : rows_.costs[row];
            room.row[i] = static_cast<std::uint32_t>(row);
            room.cost[i] = rows_.costs[row];
            room.label[i] = is_first ? 1.0 : -1.0;
            room.lower[i] = is_first ? 0.0 : -most;
            room.upper[i] = is_first ? most : 0.0;
            if (rows_.is_squared) room.ridge[i] = 1 / (2 * room.cost[i]);
        }
        SvmProblem made;
        made.row = room.row;
        made.linear = room.label;
        made.lower = room.lower;
        made.upper = room.upper;
        made.ridge = room.ridge;
        return made;
    }

    void finish(std::size_t task, PairRoom& room, const SvmSolution& found) {
        const Pair& pair = pairs_[task];
        const HingeProblem given{room.label, room.lower, room.upper, room.ridge, room.cost};
        const HingeEnd end = room.certificate.of(given, found.beta, found.score, has_bias_);
        made_.bias[task] = end.bias;
        made_.quadratic[task] = end.quadratic;
        made_.primal[task] = end.primal;
        made_.dual[task] = end.dual;
        made_.violation[task] = found.violation;
        made_.n_steps[task] = found.n_steps;
        made_.is_done[task] = found.is_done;
        std::copy(found.beta.begin(), found.beta.end(), made_.beta.data() + pair.offset);
        std::copy(found.score.begin(), found.score.end(), made_.score.data() + pair.offset);
        learn_slopes(task, room, found);
    }

    void learn_slopes(std::size_t task, PairRoom& room, const SvmSolution& found) {
        const Pair& pair = pairs_[task];
        rank_rows(pair, room);
        const std::size_t n = room.ranked.size();
        room.left_out.resize(n);
        room.weight.resize(n);
        room.is_positive.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = room.ranked[k], row = pair.row(i);
            double score = found.score[i] + made_.bias[task];
            if (found.beta[i] != 0) {
                if (found.span.empty()) {
                    made_.lacks_spans[task] = 1;
                    return;
                }
                score -= found.beta[i] * found.span[i] / rows_.copies[row];
            }
            room.left_out[k] = score;
            room.weight[k] = rows_.weights[row];
            room.is_positive[k] = i < pair.n_first;
        }
        const SigmoidSlopes slopes = fit_sigmoid(room.left_out, room.is_positive, room.weight);
        made_.slope_below[task] = slopes.below;
        made_.slope_above[task] = slopes.above;
    }

    // The places of the first rows by rank: both runs rise.
    void rank_rows(const Pair& pair, PairRoom& room) const {
        const std::size_t n = std::min(pair.size(), rows_.most_ranked);
        room.ranked.resize(n);
        std::size_t a = 0, b = pair.n_first;
        for (std::size_t k = 0; k < n; ++k) {
            const bool is_first =
                b == pair.size() ||
                (a < pair.n_first && rows_.rank[pair.row(a)] < rows_.rank[pair.row(b)]);
            room.ranked[k] = static_cast<std::uint32_t>(is_first ? a++ : b++);
        }
    }

    const PairRows& rows_;
    bool has_bias_;
    std::vector<Pair> pairs_;
    std::vector<PairRoom> rooms_;
    PairMachines made_;
};

}  // namespace

}  // namespace svm

template <class Real>
PairMachines solve_pairs(const KernelForm& form, const PointRows<Real>& rows, const PairRows& pairs,
                         const SvmOptions& options, StopSignal& stop) {
    svm::check(pairs, rows.n_rows);
    svm::AllPairs all(pairs, options);
    svm::solve_tasks(form, rows, all.tasks(), options, stop);
    return all.machines();
}

template <class Real>
PairMachines solve_pairs(const GivenGram<Real>& gram, const PairRows& pairs,
                         const SvmOptions& options, StopSignal& stop) {
    svm::check(pairs, gram.n_rows);
    svm::AllPairs all(pairs, options);
    svm::solve_tasks(gram, all.tasks(), options, stop);
    return all.machines();
}

template PairMachines solve_pairs(const KernelForm&, const PointRows<double>&, const PairRows&,
                                  const SvmOptions&, StopSignal&);
template PairMachines solve_pairs(const GivenGram<double>&, const PairRows&, const SvmOptions&,
                                  StopSignal&);

}  // namespace branchline
