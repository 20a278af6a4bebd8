// Sums over rows of which this process holds a part.
//
// A tree is grown alike by several processes, each on rows of its own: every number that a decision
// needs is a sum of integers, or a largest value, over all rows. Where a kernel has such a number of its
// own rows, it calls an object of this class, which gives back that of all parts. All parts make the same
// calls in the same order with arrays of the same lengths, so the same decisions follow in each.
//
// One of the parts looks for the tests of nodes. Only it gets the sums of histograms (`gather`), and it
// tells the others what it found (`tell`): tests are short, histograms are long.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

class PartSums {
  public:
    explicit PartSums(bool looks) : looks_(looks) {}
    PartSums(const PartSums&) = delete;
    PartSums& operator=(const PartSums&) = delete;
    virtual ~PartSums() = default;

    // Whether this part looks for the tests of nodes.
    bool looks() const { return looks_; }

    // Writes the sums over all parts, modulo 2^64: of signed numbers, too.
    virtual void add(std::span<std::uint64_t> values) = 0;
    // Writes the largest values of all parts.
    virtual void take_largest(std::span<std::uint64_t> values) = 0;
    // Writes the sums where tests are looked for; elsewhere values stay as they are. One `tell` follows.
    // A part may give a histogram as words, half as many as there are sums (`add_words`).
    virtual void gather(std::span<std::uint64_t> values) = 0;
    // Replaces the words by those of the part that looks for tests, which may be more or fewer.
    virtual void tell(std::vector<std::uint64_t>& words) = 0;

  private:
    bool looks_;
};

// Adds a histogram of words, one for each bin, to sums: first those of gradients, then those of hessians
// and units.
void add_words(std::span<const std::uint64_t> words, std::span<std::uint64_t> sums);

// Numbers of at least 0 are in the order of their bits.
inline std::uint64_t ordered_bits(double value) {
    return std::bit_cast<std::uint64_t>(value + 0.0);
}
inline double number_of_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace branchline
