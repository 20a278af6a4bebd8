// The branches of category tests, one test after the other, packed.
//
// Nearly all tests have two branches, so a branch is 0, 1, `stay` (−1) or `every_branch` (−2): two bits
// hold it. A pool with other branches has a byte or 32 bits for each.
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
    explicit BranchPool(std::span<const Branch> branches) : size_(branches.size()) {
        if (!all_within(branches, -2, 1)) {
            if (all_within(branches, -128, 127)) {
                bytes_.assign(branches.begin(), branches.end());
            } else {
                wide_.assign(branches.begin(), branches.end());
            }
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
        if (!bytes_.empty()) return bytes_[place];
        if (!wide_.empty()) return wide_[place];
        const unsigned two = bits_[place / in_a_byte] >> (2 * (place % in_a_byte)) & 3u;
        return static_cast<std::int32_t>(two) - 2;
    }

  private:
    static constexpr std::size_t in_a_byte = 4;

    template <class Branch>
    static bool all_within(std::span<const Branch> branches, int least, int most) {
        return std::ranges::all_of(
            branches, [=](Branch branch) { return branch >= least && branch <= most; });
    }

    std::size_t size_ = 0;
    // All but one are empty.
    std::vector<std::uint8_t> bits_;
    std::vector<std::int8_t> bytes_;
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
