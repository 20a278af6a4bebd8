// A tree of an ensemble, with what decides how it learns and votes.
#pragma once

#include "stream/stream_tree.hpp"

namespace branchline {

// What a member does with rows of a block.
struct MemberTask {
    std::int64_t row_number = 0;  // of the whole stream
    std::uint32_t truth = 0;
    double weight = 1;
};

class StreamMember {
  public:
    StreamMember(const LeafPlan& plan, const EnsembleRules& ensemble, std::size_t place);

    // Learns as one of a bag: the row counts as often as is drawn. With `votes`, adds its vote before.
    void learn_drawn(StreamRow row, const MemberTask& task, std::span<double> votes);
    // Learns with a weight; returns the weight for the next member.
    double learn_boosted(StreamRow row, const MemberTask& task, std::span<double> votes);
    // The weight of its votes.
    double vote_weight() const;
    // `scratch` has two places for each class.
    void add_votes(StreamRow row, std::span<double> scratch, std::span<double> votes) const;

    StreamTree& tree() { return *tree_; }
    const StreamTree& tree() const { return *tree_; }
    StreamSizes sizes() const;

    void write(StateWriter& out) const;
    void read(StateReader& in);

  private:
    double draw(std::int64_t row_number) const;
    std::unique_ptr<StreamTree> new_tree();
    void watch(bool wrong, std::int64_t row_number);

    LeafPlan plan_;
    EnsembleRules ensemble_;
    std::size_t place_;
    std::uint64_t n_trees_ = 0;  // that grew here so far
    std::unique_ptr<StreamTree> tree_, background_;
    Adwin warning_, drift_;
    double right_ = 0, wrong_ = 0;  // weights, for boosting
    std::vector<double> scratch_, more_scratch_;
};

}  // namespace branchline
