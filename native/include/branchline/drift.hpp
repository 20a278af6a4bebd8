// Drift detectors: numbers come one after the other, and a detector says when their mean has changed.
//
// Adwin (Bifet and Gavaldà, 2007) keeps a window of the last numbers, as long as its mean is constant.
// The window is cut where the means of its two parts, n0 and n1 numbers long, differ by more than
//     ε = √(2 v L / m) + 2 L / (3 m),   1/m = 1/n0 + 1/n1,   L = ln(2 ln(n) / δ),
// n and v being the length and the variance of the window. It drops its oldest numbers until no cut is
// left. Places of cuts are ends of buckets: a bucket of row k sums 2^k numbers, and when a row has more
// than `max_buckets`, its two oldest become one of the next row. So the window takes O(log n) memory.
// Every 32nd number looks for cuts.
//
// PageHinkley (Page, 1954) sums how far numbers are above the mean so far, less a tolerance; the sum of
// a constant mean drifts down, so a sum far above its lowest value says that the mean went up. Numbers
// below the mean likewise. Deviations are counted in standard deviations of the numbers so far.
//
// Ddm (Gama and others, 2004) follows the share p of ones and its standard deviation s = √(p (1 − p) / n)
// and keeps the lowest p + s. A change is p + s > p_min + threshold · s_min.
//
// Each update costs a few ns (Adwin: O(log n) every 32nd). No threads, no random numbers. Numbers must be
// finite.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace branchline {

class StateReader;
class StateWriter;

class Adwin {
  public:
    explicit Adwin(double delta = 0.002) : delta_(delta) {}

    // Adds a number; true when the window was cut, that is, when the mean has changed.
    bool update(double value);

    double mean() const { return width_ > 0 ? total_ / width_ : 0; }
    double width() const { return width_; }
    // The means before and after the last cut.
    double mean_before() const { return mean_before_; }
    std::int64_t n_changes() const { return n_changes_; }
    std::size_t n_bytes() const;

    void write(StateWriter& out) const;
    void read(StateReader& in);

  private:
    static constexpr std::size_t max_buckets = 5;
    static constexpr std::int64_t clock = 32;
    static constexpr double shortest = 5, shortest_window = 10;

    struct Bucket {
        double sum = 0, squares = 0;  // of squares: around the bucket's own mean
    };
    struct Row {
        std::array<Bucket, max_buckets + 1> buckets;
        std::size_t n = 0;
    };

    void compress();
    bool shrink();
    bool cut_once(double log_term);
    void drop_oldest();

    double delta_;
    std::vector<Row>
        rows_;  // of buckets of 1, 2, 4, … numbers, the newest first; in a row the oldest first
    double total_ = 0, squares_ = 0, width_ = 0;
    double mean_before_ = 0;
    std::int64_t n_seen_ = 0, n_changes_ = 0;
};

struct PageHinkleyRule {
    double tolerance = 0.005, threshold = 50;
    std::int64_t min_rows = 30;
};

class PageHinkley {
  public:
    explicit PageHinkley(const PageHinkleyRule& rule) : rule_(rule) {}
    bool update(double value);

  private:
    PageHinkleyRule rule_;
    double n_ = 0, mean_ = 0, squares_ = 0;
    double above_ = 0, below_ = 0, lowest_above_ = 0, lowest_below_ = 0;
};

struct DdmRule {
    double warning = 2, threshold = 3;
    std::int64_t min_rows = 30;
};

class Ddm {
  public:
    explicit Ddm(const DdmRule& rule) : rule_(rule) {}
    // 0: nothing, 1: a warning, 2: a change.
    int update(bool wrong);

  private:
    DdmRule rule_;
    double n_ = 0, mean_ = 0, mean_min_ = 0, spread_min_ = 0;
    bool has_minimum_ = false;
};

}  // namespace branchline
