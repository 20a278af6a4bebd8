// Rows of a small problem's kernel matrix (with ridges): all there, or made when first asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace branchline::svm {

// Makes rows; a row has `padded` values and stays where it is.
template <class Real>
class RowMaker {
  public:
    virtual ~RowMaker() = default;
    // pointers[i] becomes the row of each of the given variables, which have none yet.
    virtual void make(std::span<const std::uint32_t> variables,
                      std::span<const Real*> pointers) = 0;
    // How many are best made together, at most `most_rows_at_once`.
    virtual std::size_t rows_at_once() const = 0;
};

inline constexpr std::size_t most_rows_at_once = 8;

template <class Real>
class RowTable {
  public:
    // All rows are there, one behind the other.
    void set_all(const Real* values, std::size_t stride, std::size_t n) {
        pointers_.resize(n);
        for (std::size_t i = 0; i < n; ++i) pointers_[i] = values + i * stride;
        maker_ = nullptr;
    }
    // None is there yet.
    void set_none(std::size_t n, RowMaker<Real>& maker) {
        pointers_.assign(n, nullptr);
        maker_ = &maker;
    }

    bool has(std::size_t i) const { return pointers_[i] != nullptr; }
    const Real* operator[](std::size_t i) {
        if (!has(i)) {
            const auto one = static_cast<std::uint32_t>(i);
            maker_->make({&one, 1}, pointers_);
        }
        return pointers_[i];
    }
    std::size_t rows_at_once() const { return maker_->rows_at_once(); }
    // Makes those that are missing, together: a product of many rows takes less time than each alone.
    void make(std::vector<std::uint32_t>& variables) {
        std::erase_if(variables, [this](std::uint32_t i) { return has(i); });
        if (!variables.empty()) maker_->make(variables, pointers_);
    }

  private:
    std::vector<const Real*> pointers_;
    RowMaker<Real>* maker_ = nullptr;
};

}  // namespace branchline::svm
