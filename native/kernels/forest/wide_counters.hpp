// Split statistics of any width: several classes, every impurity. Their forms and
// methods are those of counters.hpp.
#pragma once

#include "forest/counters.hpp"

namespace branchline::forest {

// Classes. A cell has a word for each class: 64 bits, or 32 when the table is light.
template <class Impurity, class Word = std::int64_t>
class ClassCounter {
  public:
    struct WidePayload {
        Word units;
        std::uint32_t class_index;
    };
    static constexpr bool is_light = std::is_same_v<Word, std::uint32_t>;
    using Payload = std::conditional_t<is_light, ClassUnits, WidePayload>;
    using Cell = Word;
    using Sides = tree::ClassSides<Impurity, tree::ManyCounts>;
    static constexpr bool has_kernel = false;
    // Whether numbers are counted class by class, and few rows cut by a kernel.
    static constexpr bool counts_classes = is_light;

    explicit ClassCounter(const GrowTarget& target)
        : target_(target), logs_(Impurity::table_size(target.class_of_row.size())),
          left_(target.n_classes), right_(target.n_classes), node_(target.n_classes),
          scaled_(target.class_factor.size()) {}
    std::size_t cell_words() const { return target_.n_classes; }
    std::size_t n_orders() const { return target_.n_classes == 2 ? 1 : target_.n_classes; }
    const tree::LogTable& logs() const { return logs_; }

    Payload payload(RowIndex row, std::uint32_t count) const {
        return {static_cast<Word>(units_of(target_, row) * count), target_.class_of_row[row]};
    }
    static void add(Cell* cell, const Payload& payload) {
        cell[payload.class_index] += payload.units;
    }
    static void add_if(bool holds, Cell* cell, const Payload& payload) {
        cell[payload.class_index] += payload.units & (Word{0} - Word{holds});
    }
    bool is_empty(const Cell* cell) const {
        Word any = 0;
        for (std::size_t c = 0; c < left_.size(); ++c) any |= cell[c];
        return any == 0;
    }
    static void add_to_content(std::int64_t* content, const Payload& payload) {
        content[payload.class_index] += static_cast<std::int64_t>(payload.units);
    }
    static bool is_pure(std::span<const std::int64_t> content, std::span<const Payload>) {
        return std::count_if(content.begin(), content.end(),
                             [](std::int64_t units) { return units > 0; }) < 2;
    }

    void begin_node(std::span<const std::int64_t> content) {
        std::copy(content.begin(), content.end(), node_.begin());
        units_ = std::accumulate(content.begin(), content.end(), std::int64_t{0});
        badness_ = badness_of(node_, units_);
        // Squares of counts stay whole numbers, as long as they fit.
        is_incremental_ = std::is_same_v<Impurity, tree::GiniImpurity> &&
                          target_.class_factor.empty() && units_ < std::int64_t{1} << 31;
        node_squares_ = 0;
        if (is_incremental_) {
            for (const std::int64_t units : content) node_squares_ += units * units;
        }
        impurity_weight_ = static_cast<double>(units_);
        if (target_.class_factor.empty()) return;
        impurity_weight_ = 0;
        for (std::size_t c = 0; c < node_.size(); ++c) {
            impurity_weight_ += target_.class_factor[c] * static_cast<double>(node_[c]);
        }
    }
    void start() {
        std::fill(left_.begin(), left_.end(), 0);
        std::copy(node_.begin(), node_.end(), right_.begin());
        left_units_ = 0;
        left_squares_ = 0;
        right_squares_ = node_squares_;
    }
    void to_left(const Cell* cell) {
        const std::size_t n = left_.size();
        for (std::size_t c = 0; c < n; ++c) {
            const auto units = static_cast<std::int64_t>(cell[c]);
            left_squares_ += is_incremental_ ? units * (2 * left_[c] + units) : 0;
            right_squares_ -= is_incremental_ ? units * (2 * right_[c] - units) : 0;
            left_[c] += units;
            right_[c] -= units;
            left_units_ += units;
        }
    }
    void row_to_left(const Payload& payload) {
        std::int64_t& left = left_[payload.class_index];
        std::int64_t& right = right_[payload.class_index];
        const auto units = static_cast<std::int64_t>(payload.units);
        if (is_incremental_) {
            left_squares_ += units * (2 * left + units);
            right_squares_ -= units * (2 * right - units);
        }
        left += units;
        right -= units;
        left_units_ += units;
    }
    bool cuts_cells() const {
        return is_incremental_ && node_.size() <= max_classes && units_ < std::int64_t{1} << 26;
    }
    double cut_offset() const { return -static_cast<double>(units_); }
    ClassesNode node(std::int64_t least) const {
        return {node_.data(), node_.size(), units_, least, score_slack()};
    }
    CellCut cut(const LevelKernels& kernels, const Cell* cells, std::size_t n, const Cell* missing,
                std::int64_t least) const {
        if constexpr (sizeof(Word) == 4) {
            return kernels.cut_classes32(cells, n, missing, node(least));
        } else {
            return kernels.cut_classes64(cells, n, missing, node(least));
        }
    }
    template <class Value>
    FewCut cut_few(const LevelKernels& kernels, const Value* codes,
                   std::span<const Payload> payload, std::int64_t least) const {
        if constexpr (sizeof(Value) == 1) {
            return kernels.cut_few_classes_bytes(codes, payload.data(), payload.size(),
                                                 node(least));
        } else {
            return kernels.cut_few_classes_shorts(codes, payload.data(), payload.size(),
                                                  node(least));
        }
    }
    std::int64_t left_weight() const { return left_units_; }
    std::int64_t weight() const { return units_; }
    double impurity_weight() const { return impurity_weight_; }
    double score() {
        if (is_incremental_) {
            return static_cast<double>(left_squares_) / static_cast<double>(left_units_) +
                   static_cast<double>(right_squares_) / static_cast<double>(units_ - left_units_) -
                   static_cast<double>(units_);
        }
        return -badness_of(left_, left_units_) - badness_of(right_, units_ - left_units_);
    }
    // What a cut scores whose left side is given.
    double score_of(const Cell* left) {
        if (!is_incremental_) {
            start();
            to_left(left);
            return score();
        }
        left_units_ = left_squares_ = right_squares_ = 0;
        for (std::size_t c = 0; c < node_.size(); ++c) {
            const auto units = static_cast<std::int64_t>(left[c]), right = node_[c] - units;
            left_units_ += units;
            left_squares_ += units * units;
            right_squares_ += right * right;
        }
        return score();
    }
    double gain_of(double score) const { return (score + badness_) / impurity_weight_; }
    // The share of a class; of two, that of the second.
    double mean(const Cell* cell, std::size_t which) const {
        const auto units =
            static_cast<double>(std::accumulate(cell, cell + left_.size(), std::int64_t{0}));
        return static_cast<double>(cell[left_.size() == 2 ? 1 : which]) / units;
    }
    double left_mean() const {
        return static_cast<double>(left_[1]) / static_cast<double>(left_units_);
    }
    double right_mean() const {
        return static_cast<double>(right_[1]) / static_cast<double>(units_ - left_units_);
    }
    double slack() const { return 1e-12; }
    double score_slack() const { return 1e-12 * impurity_weight_; }
    static double spread(std::span<const Payload>) { return 0; }
    void begin_information(std::span<const Payload>) {}
    double information() const { return normalized_information(left_, node_); }

    void entries_of(Code code, const Cell* cell, std::vector<tree::ClassEntry>& entries) const {
        for (std::size_t c = 0; c < left_.size(); ++c) {
            const auto units = static_cast<std::int64_t>(cell[c]);
            if (units > 0) entries.push_back({code, static_cast<std::uint32_t>(c), units});
        }
    }

  private:
    double badness_of(const std::vector<std::int64_t>& counts, std::int64_t units) {
        if (units == 0) return 0;
        if (target_.class_factor.empty()) return Impurity::badness(counts, units, logs_);
        double total = 0;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            scaled_[c] = target_.class_factor[c] * static_cast<double>(counts[c]);
            total += scaled_[c];
        }
        return Impurity::badness(scaled_, total, logs_);
    }

    const GrowTarget& target_;
    tree::LogTable logs_;
    std::vector<std::int64_t> left_, right_, node_;
    std::vector<double> scaled_;
    std::int64_t left_units_ = 0, units_ = 0;
    std::int64_t left_squares_ = 0, right_squares_ = 0, node_squares_ = 0;
    bool is_incremental_ = false;
    double badness_ = 0, impurity_weight_ = 0;
};

}  // namespace branchline::forest
