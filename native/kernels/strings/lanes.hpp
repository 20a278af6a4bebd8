// Sixteen doubles added, multiplied and compared at once, in vectors as wide as the level's.
// Included by lane_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

struct Vector {
    using Doubles [[gnu::vector_size(vector_bytes)]] = double;
    using InMemory [[gnu::vector_size(vector_bytes), gnu::may_alias, gnu::aligned(8)]] = double;
    static constexpr std::size_t size = vector_bytes / sizeof(double);

    static Vector all(double value) { return {value - Doubles{}}; }
    static Vector load(const double* from) { return {*reinterpret_cast<const InMemory*>(from)}; }
    void store(double* to) const { *reinterpret_cast<InMemory*>(to) = values; }
    Vector operator+(const Vector& other) const { return {values + other.values}; }
    Vector operator*(const Vector& other) const { return {values * other.values}; }
    Vector operator-(const Vector& other) const { return {values - other.values}; }
    // The value where a and b are equal, else 0.
    Vector where_equal(const Vector& a, const Vector& b) const {
        return {a.values == b.values ? values : Doubles{}};
    }
    Vector at_most(const Vector& limit) const {
        return {values < limit.values ? values : limit.values};
    }

    Doubles values;
};

// Two of a kind side by side. Named members stay in registers where an array would not.
template <class Half>
struct Pair {
    static constexpr std::size_t size = 2 * Half::size;

    static Pair all(double value) { return {Half::all(value), Half::all(value)}; }
    static Pair load(const double* from) {
        return {Half::load(from), Half::load(from + Half::size)};
    }
    void store(double* to) const {
        low.store(to);
        high.store(to + Half::size);
    }
    Pair operator+(const Pair& other) const { return {low + other.low, high + other.high}; }
    Pair operator*(const Pair& other) const { return {low * other.low, high * other.high}; }
    Pair operator-(const Pair& other) const { return {low - other.low, high - other.high}; }
    Pair where_equal(const Pair& a, const Pair& b) const {
        return {low.where_equal(a.low, b.low), high.where_equal(a.high, b.high)};
    }
    Pair at_most(const Pair& limit) const {
        return {low.at_most(limit.low), high.at_most(limit.high)};
    }

    Half low, high;
};

template <std::size_t size>
struct LanesOf {
    using Type = Pair<typename LanesOf<size / 2>::Type>;
};
template <>
struct LanesOf<Vector::size> {
    using Type = Vector;
};
using Lanes = LanesOf<n_lanes>::Type;
