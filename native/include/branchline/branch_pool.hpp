// The branches of category tests, one test after the other, packed.
//
// Nearly all tests have two branches, so a branch is 0, 1, `stay` (−1) or `every_branch` (−2): two bits
// hold it. A pool with any other branch has 32 bits for each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

class BranchPool {
  public:
    BranchPool() = default;

    template <class Branch>
    explicit BranchPool(std::span<const Branch> branches)
        : size_(branches.size()),
          is_packed_(std::all_of(branches.begin(), branches.end(),
                                 [](Branch branch) { return branch >= -2 && branch <= 1; })) {
        if (!is_packed_) {
            wide_.assign(branches.begin(), branches.end());
            return;
        }
        bits_.assign((size_ + in_a_byte - 1) / in_a_byte, 0);
        for (std::size_t i = 0; i < size_; ++i) {
            const auto two = static_cast<unsigned>(branches[i] + 2);
            bits_[i / in_a_byte] |= static_cast<std::uint8_t>(two << (2 * (i % in_a_byte)));
        }
    }

    std::size_t size() const { return size_; }

    // Requires: place < size().
    std::int32_t operator[](std::size_t place) const {
        if (!is_packed_) return wide_[place];
        const unsigned two = bits_[place / in_a_byte] >> (2 * (place % in_a_byte)) & 3u;
        return static_cast<std::int32_t>(two) - 2;
    }

  private:
    static constexpr std::size_t in_a_byte = 4;

    std::size_t size_ = 0;
    bool is_packed_ = true;
    std::vector<std::uint8_t> bits_;
    std::vector<std::int32_t> wide_;
};

// The branches of all tests as the caller has them: bytes where no test has more than 127 branches.
struct BranchesView {
    std::span<const std::int8_t> narrow;  // empty: wide
    std::span<const std::int32_t> wide;

    BranchesView() = default;
    BranchesView(std::span<const std::int8_t> branches) : narrow(branches) {}
    BranchesView(std::span<const std::int32_t> branches) : wide(branches) {}
    BranchesView(const std::vector<std::int32_t>& branches) : wide(branches) {}

    std::size_t size() const { return narrow.empty() ? wide.size() : narrow.size(); }
    BranchPool packed() const { return narrow.empty() ? BranchPool(wide) : BranchPool(narrow); }
};

}  // namespace branchline
