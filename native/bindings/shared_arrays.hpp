// Many small arrays: they share a few large ones. An array of its own costs Python several objects,
// which takes longer than filling it and which its garbage collector looks at again and again.
#pragma once

#include <algorithm>
#include <memory>

#include "arrays.hpp"

namespace branchline::bindings {

// Gives arrays of one type, each a part of a chunk. A chunk lives as long as one of its parts.
template <class Value>
class SharedArrays {
  public:
    static constexpr std::size_t chunk_bytes = std::size_t{1} << 16, most_bytes = chunk_bytes / 8;

    static bool takes(std::size_t n) { return n * sizeof(Value) <= most_bytes; }

    // A copy of n values. Requires: takes(n).
    nb::object give(const Value* values, std::size_t n) {
        if (!chunk_.is_valid() || used_ + n > capacity) begin_chunk();
        std::copy_n(values, n, data_ + used_);
        used_ += n;
        return chunk_[nb::slice(nb::int_(used_ - n), nb::int_(used_), nb::int_(1))];
    }

  private:
    static constexpr std::size_t capacity = chunk_bytes / sizeof(Value);

    void begin_chunk() {
        auto values = std::make_unique<Value[]>(capacity);
        data_ = values.get();
        used_ = 0;
        nb::capsule owner(values.release(),
                          [](void* p) noexcept { delete[] static_cast<Value*>(p); });
        chunk_ = nb::cast(Out<Value>(data_, {capacity}, std::move(owner)));
    }

    nb::object chunk_;
    Value* data_ = nullptr;
    std::size_t used_ = 0;
};

}  // namespace branchline::bindings
