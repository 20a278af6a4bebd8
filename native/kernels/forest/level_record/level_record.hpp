// Records as vectors; ranges and copies of them. See record_kernels.hpp.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

// The codes of a row as a vector: the compiler makes the instructions of the level of it.
template <std::size_t stride>
struct Record {
    typedef std::uint8_t Bytes __attribute__((vector_size(stride)));
};

template <std::size_t stride>
using RecordVector = typename Record<stride>::Bytes;

// Calls work with the stride as a constant.
template <class Work>
inline void with_stride(std::size_t stride, Work&& work) {
    if (stride == 16) return work.template operator()<16>();
    if (stride == 32) return work.template operator()<32>();
    work.template operator()<64>();
}

template <std::size_t stride, bool any_missing>
void find_range_of(const RecordRows& rows, RecordRange& range) {
    using Vector = RecordVector<stride>;
    Vector lowest = ~Vector{}, highest = Vector{}, highest_code = Vector{};
#pragma GCC unroll 4
    for (std::size_t i = 0; i < rows.n; ++i) {
        Vector bytes;
        __builtin_memcpy(&bytes, rows.records + rows.place[i], stride);
        lowest = bytes < lowest ? bytes : lowest;
        highest = bytes > highest ? bytes : highest;
        if (!any_missing) continue;
        const Vector codes = bytes + 1;
        highest_code = codes > highest_code ? codes : highest_code;
    }
    if (!any_missing) highest_code = highest + 1;
    __builtin_memcpy(range.lowest, &lowest, stride);
    __builtin_memcpy(range.highest, &highest, stride);
    __builtin_memcpy(range.highest_code, &highest_code, stride);
}

void find_range(const RecordRows& rows, RecordRange& range) {
    with_stride(rows.stride, [&]<std::size_t stride>() {
        rows.any_missing ? find_range_of<stride, true>(rows, range)
                         : find_range_of<stride, false>(rows, range);
    });
}

void copy_records(const RecordRows& rows, std::uint8_t* to) {
    with_stride(rows.stride, [&]<std::size_t stride>() {
        for (std::size_t i = 0; i < rows.n; ++i, to += stride) {
            __builtin_memcpy(to, rows.records + rows.place[i], stride);
        }
    });
}
