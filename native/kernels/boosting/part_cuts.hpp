// Tests of nodes as words, for parts of the rows that do not look for tests themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "boosting/cuts.hpp"

namespace branchline::boosting {

void write_sums(const NodeSums& sums, std::vector<std::uint64_t>& words);
void write_cut(const Cut& cut, std::vector<std::uint64_t>& words);

// Reads what was written, in the same order; throws where it is something else.
class WordReader {
  public:
    explicit WordReader(const std::vector<std::uint64_t>& words) : words_(words) {}

    std::uint64_t next();
    NodeSums sums();
    Cut cut(const BlockedRows& rows);
    bool is_done() const { return at_ == words_.size(); }
    void finish() const;  // throws unless all words have been read

  private:
    const std::vector<std::uint64_t>& words_;
    std::size_t at_ = 0;
};

}  // namespace branchline::boosting
