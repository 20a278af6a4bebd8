// Choosing among the columns of a node with the rules of the tree room: gain ratios, description
// lengths, costs of tests, what tests gain by chance; and subsets of categories for several classes.
#pragma once

#include "forest/column_looker/column_looker.hpp"
#include "tree/choose_test.hpp"

namespace branchline::forest {

template <class Counter>
class ColumnChooser {
  public:
    using Payload = typename Counter::Payload;
    using Sides = typename Counter::Sides;

    ColumnChooser(const ForestInput& input, const GrowOptions& options, Counter& counter,
                  std::size_t n_rows)
        : input_(input), options_(options), counter_(counter),
          logs_(Sides::Impurity::table_size(n_rows)), desk_(input.target, logs_) {
        compares_all_ = compares_more_than_gain(input.columns, options);
    }

    bool compares_all() const { return compares_all_; }
    // Whether a category column must be searched here: names of one row each are set aside.
    bool searches(const GrowColumn& column) const {
        return column.is_category && input_.monotone.empty() && options_.correct_for_chance;
    }

    void begin_node(std::span<const std::int64_t> content, std::span<const Payload> rows) {
        verdicts_.clear();
        offers_.clear();
        branches_.clear();
        column_of_.clear();
        facts_.content.assign(content.begin(), content.end());
        desk_.sides.start(facts_.content);
        facts_.weight = desk_.sides.right_weight();
        facts_.impurity_weight = desk_.sides.impurity_weight();
        facts_.badness = desk_.sides.right_badness();
        const bool of_classes = input_.target.is_classification();
        facts_.impurity =
            (of_classes ? facts_.badness : counter_.spread(rows)) / facts_.impurity_weight;
        facts_.slack = 1e-12 * (of_classes ? 1.0 : facts_.impurity);
    }

    // Searches the subsets of a category column whose groups were collected.
    bool search(int column, const Groups<Counter>& groups, Offer& offer,
                std::vector<std::uint8_t>& branch_of_code) {
        const GrowColumn& about = input_.columns[static_cast<std::size_t>(column)];
        offer = {};
        desk_.entries.clear();
        for (std::size_t g = 0; g < groups.size(); ++g) {
            counter_.entries_of(groups.code(g), groups.cell(g), desk_.entries);
        }
        found_ = tree::look_at_entries(about, facts_, input_.target, options_, desk_);
        if (!found_.varies || !found_.test.is_test()) return found_.varies;
        offer.column = column;
        offer.is_category = true;
        offer.fraction = 0;
        offer.gain = found_.test.gain;
        offer.missing_left = found_.test.missing_branch == 0;
        branch_of_code.assign(about.n_codes + 1, 2);
        for (std::size_t code = 1; code < found_.test.branch_of_code.size(); ++code) {
            const std::int32_t branch = found_.test.branch_of_code[code];
            if (branch >= 0) branch_of_code[code] = static_cast<std::uint8_t>(branch);
        }
        return true;
    }

    // Remembers what a column that varies offers, also when that is nothing: how many vary counts.
    // `was_searched` when it came from search(); `missing` is what missing values hold, or null.
    void add(const Offer& offer, const std::vector<std::uint8_t>& branch_of_code,
             const typename Counter::Cell* missing, bool was_searched) {
        tree::ColumnVerdict verdict;
        if (offer.column >= 0) verdict = was_searched ? found_ : describe(offer, missing);
        verdict.varies = true;
        verdicts_.push_back(std::move(verdict));
        column_of_.push_back(offer.column);
        offers_.push_back(offer);
        branches_.push_back(offer.is_category ? branch_of_code : std::vector<std::uint8_t>{});
    }
    // The best of the offers remembered, or −1.
    int choose() {
        return verdicts_.empty()
                   ? -1
                   : tree::choose(verdicts_, column_of_, input_.columns, facts_, options_);
    }
    const Offer& offer(int place) const { return offers_[static_cast<std::size_t>(place)]; }
    const std::vector<std::uint8_t>& branches(int place) const {
        return branches_[static_cast<std::size_t>(place)];
    }

  private:
    tree::ColumnVerdict describe(const Offer& offer, const typename Counter::Cell* missing) {
        tree::ColumnVerdict verdict;
        tree::Candidate& test = verdict.test;
        test.n_branches = 2;
        test.is_threshold = !offer.is_category;
        test.gain = offer.gain;
        test.n_values = offer.n_values;
        const std::array<std::int64_t, 2> weights{offer.left_weight,
                                                  facts_.weight - offer.left_weight};
        test.split_information = tree::split_information(weights);
        if (!options_.correct_for_chance) return verdict;
        desk_.sides.start(facts_.content);
        if (missing != nullptr) {
            desk_.entries.clear();
            counter_.entries_of(missing_code, missing, desk_.entries);
            for (const auto& entry : desk_.entries) desk_.sides.drop_right(entry);
        }
        test.known_weight = desk_.sides.right_weight();
        test.known_badness = input_.target.is_classification()
                                 ? desk_.sides.right_badness()
                                 : facts_.impurity * static_cast<double>(test.known_weight);
        return verdict;
    }

    const ForestInput& input_;
    const GrowOptions& options_;
    Counter& counter_;
    tree::LogTable logs_;
    tree::Desk<Sides> desk_;
    bool compares_all_ = false;
    tree::NodeFacts facts_;
    tree::ColumnVerdict found_;
    std::vector<tree::ColumnVerdict> verdicts_;
    std::vector<int> column_of_;
    std::vector<Offer> offers_;
    std::vector<std::vector<std::uint8_t>> branches_;
};

}  // namespace branchline::forest
