#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "branchline/network_search.hpp"
#include "mix.hpp"
#include "network/ways.hpp"

namespace branchline {

namespace {

using Parents = std::vector<std::uint32_t>;
constexpr std::size_t tabu_steps = 10, patience = 20, most_kept = std::size_t{1} << 23;
constexpr double nothing = -std::numeric_limits<double>::infinity();

// What each column would add as a parent of a child, or lose by ceasing to be one; and the score as it is.
struct Gains {
    double score = 0.0;
    std::vector<double> of_parent;
};

enum class Change { add, remove, reverse };

struct Move {
    Change change = Change::add;
    std::size_t child = 0, parent = 0;
    double gain = nothing;
};

class Climber {
  public:
    Climber(const NetworkRows& rows, const NetworkScore& rule, const NetworkLimits& limits,
            StopSignal& stop)
        : scorer_(rows, rule), limits_(limits), stop_(stop), n_(rows.n_columns()), kept_(n_),
          gains_(n_), ways_(n_), tabu_until_(n_ * n_, 0) {
        const Configurations none = scorer_.no_parents();
        for (std::size_t child = 0; child < n_; ++child)
            alone_.push_back(scorer_.score(child, none));
    }

    void begin(std::span<const std::uint8_t> start) {
        flags_.assign(start.begin(), start.end());
        for (std::size_t child = 0; child < n_; ++child) update(child);
        ways_.find(flags_);
    }

    // Climbs from where it stands; leaves the best network found.
    void climb() {
        std::fill(tabu_until_.begin(), tabu_until_.end(), 0);
        double best = score();
        std::vector<std::uint8_t> best_flags = flags_;
        for (std::size_t step = 1, n_idle = 0; n_idle < patience; ++step) {
            const double now = score();
            const Move move = best_move(step, best - now);
            if (move.gain == nothing) break;
            make(move);
            tabu_until_[pair_of(move)] = step + tabu_steps;
            const double after = score();
            const bool is_new = after > best + 1e-9 * (1.0 + std::abs(best));
            n_idle = is_new ? 0 : n_idle + 1;
            if (is_new) {
                best = after;
                best_flags = flags_;
            }
        }
        if (flags_ != best_flags) begin(best_flags);
    }

    // Takes all edges of some random columns away.
    void disturb(std::uint64_t& state, std::size_t n_columns) {
        for (; n_columns > 0; --n_columns) {
            const std::size_t at = mix(state += golden) % n_;
            for (std::size_t other = 0; other < n_; ++other) {
                if (has(at, other) && !must(at, other)) make({Change::remove, at, other, 0.0});
                if (has(other, at) && !must(other, at)) make({Change::remove, other, at, 0.0});
            }
        }
    }

    // Turns random edges whose direction does not matter: u → v with parents(v) = parents(u) ∪ {u}.
    void turn(std::uint64_t& state, std::size_t n_tries) {
        for (; n_tries > 0; --n_tries) {
            const std::vector<std::pair<std::size_t, std::size_t>> free = covered();
            if (free.empty()) return;
            const auto [child, parent] = free[mix(state += golden) % free.size()];
            make({Change::reverse, child, parent, 0.0});
        }
    }

    double score() const {
        double sum = 0.0;
        for (const Gains* gains : gains_) sum += gains->score;
        return sum;
    }
    const std::vector<std::uint8_t>& flags() const noexcept { return flags_; }

  private:
    bool has(std::size_t child, std::size_t parent) const { return flags_[child * n_ + parent]; }
    bool may(std::size_t child, std::size_t parent) const {
        return limits_.allowed[child * n_ + parent];
    }
    bool must(std::size_t child, std::size_t parent) const {
        return limits_.required[child * n_ + parent];
    }
    std::size_t pair_of(const Move& move) const {
        return std::min(move.child, move.parent) * n_ + std::max(move.child, move.parent);
    }

    std::vector<std::pair<std::size_t, std::size_t>> covered() const {
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (std::size_t child = 0; child < n_; ++child) {
            for (std::size_t parent = 0; parent < n_; ++parent) {
                if (!has(child, parent) || must(child, parent) || !may(parent, child)) continue;
                bool is_covered = true;
                for (std::size_t other = 0; other < n_ && is_covered; ++other) {
                    is_covered = other == parent || has(child, other) == has(parent, other);
                }
                if (is_covered) found.emplace_back(child, parent);
            }
        }
        return found;
    }

    std::optional<Move> addition(std::size_t child, std::size_t parent) const {
        if (child == parent || !may(child, parent) || ways_.lead(child, parent))
            return std::nullopt;
        const double gain = gains_[child]->of_parent[parent];
        if (gain == nothing) return std::nullopt;
        return Move{Change::add, child, parent, gain};
    }

    std::optional<Move> removal(std::size_t child, std::size_t parent) const {
        if (must(child, parent)) return std::nullopt;
        return Move{Change::remove, child, parent, gains_[child]->of_parent[parent]};
    }

    std::optional<Move> reversal(std::size_t child, std::size_t parent) const {
        if (must(child, parent) || !may(parent, child)) return std::nullopt;
        const double gain = gains_[parent]->of_parent[child];
        if (gain == nothing) return std::nullopt;
        for (std::size_t other = 0; other < n_; ++other) {
            if (other != parent && has(child, other) && ways_.lead(parent, other))
                return std::nullopt;
        }
        return Move{Change::reverse, child, parent, gain + gains_[child]->of_parent[parent]};
    }

    // The best move that is not tabu, or that leads above the best network so far.
    Move best_move(std::size_t step, double missing) const {
        Move best;
        const auto consider = [&](const std::optional<Move>& move) {
            if (!move) return;
            const bool is_tabu = tabu_until_[pair_of(*move)] >= step;
            if (is_tabu && move->gain <= missing + 1e-9 * (1.0 + std::abs(missing))) return;
            if (best.gain == nothing ||
                move->gain > best.gain + 1e-10 * (1.0 + std::abs(best.gain))) {
                best = *move;
            }
        };
        for (std::size_t child = 0; child < n_; ++child) {
            for (std::size_t parent = 0; parent < n_; ++parent) {
                if (!has(child, parent)) {
                    if (gains_[child]->of_parent[parent] > best.gain)
                        consider(addition(child, parent));
                    continue;
                }
                consider(removal(child, parent));
                consider(reversal(child, parent));
            }
        }
        return best;
    }

    void make(const Move& move) {
        flags_[move.child * n_ + move.parent] = move.change == Change::add;
        update(move.child);
        if (move.change == Change::reverse) {
            flags_[move.parent * n_ + move.child] = 1;
            update(move.parent);
        }
        ways_.find(flags_);
    }

    // Looks up, or finds, the gains of a child with its parents.
    void update(std::size_t child) {
        Parents parents;
        for (std::size_t p = 0; p < n_; ++p) {
            if (has(child, p)) parents.push_back(static_cast<std::uint32_t>(p));
        }
        if (n_kept_ > most_kept / std::max<std::size_t>(1, n_)) forget();
        const auto [place, is_new] = kept_[child].try_emplace(parents);
        if (is_new) {
            ++n_kept_;
            place->second = gains_of(child, parents);
        }
        gains_[child] = &place->second;
    }

    void forget() {
        for (std::size_t child = 0; child < n_; ++child) {
            for (auto at = kept_[child].begin(); at != kept_[child].end();) {
                at = &at->second == gains_[child] ? std::next(at) : kept_[child].erase(at);
            }
        }
        n_kept_ = n_;
    }

    Gains gains_of(std::size_t child, const Parents& parents) {
        stop_.check();
        const Configurations base = scorer_.of(parents);
        Gains gains{scorer_.score(child, base), std::vector<double>(n_, nothing)};
        const bool is_full = parents.size() >= limits_.max_parents;
        for (std::size_t p = 0; p < n_; ++p) {
            if (has(child, p)) {
                Parents others = parents;
                std::erase(others, static_cast<std::uint32_t>(p));
                gains.of_parent[p] = scorer_.score(child, scorer_.of(others)) - gains.score;
            } else if (p != child && may(child, p) && !is_full) {
                gains.of_parent[p] = added(child, base, p) - gains.score;
            }
        }
        return gains;
    }

    // With BIC, a set of parents whose penalty is worse than no parents at all is never the best.
    double added(std::size_t child, const Configurations& base, std::size_t parent) {
        const double n_possible = base.n_possible * scorer_.rows().n_levels[parent];
        if (scorer_.bound(child, n_possible) < alone_[child]) return nothing;
        return scorer_.score_with(child, base, parent);
    }

    FamilyScorer scorer_;
    NetworkLimits limits_;
    StopSignal& stop_;
    std::size_t n_, n_kept_ = 0;
    std::vector<std::uint8_t> flags_;
    std::vector<std::map<Parents, Gains>> kept_;
    std::vector<const Gains*> gains_;
    Ways ways_;
    std::vector<double> alone_;  // the score of each column without parents
    std::vector<std::size_t> tabu_until_;
};

}  // namespace

FoundNetwork climb_network(const NetworkRows& rows, const NetworkScore& rule,
                           const NetworkLimits& limits, const ClimbOptions& options,
                           StopSignal& stop) {
    Climber climber(rows, rule, limits, stop);
    climber.begin(options.start);
    climber.climb();
    FoundNetwork best{climber.flags(), climber.score()};
    std::uint64_t state = mix(options.seed + golden);
    for (std::size_t restart = 0; restart < options.n_restarts && rows.n_columns() > 1; ++restart) {
        climber.turn(state, rows.n_columns() / 2);
        climber.disturb(state, 2 + rows.n_columns() / 10);
        climber.climb();
        if (climber.score() > best.score + 1e-9 * (1.0 + std::abs(best.score))) {
            best = {climber.flags(), climber.score()};
        } else {
            climber.begin(best.parents);
        }
    }
    return best;
}

}  // namespace branchline
