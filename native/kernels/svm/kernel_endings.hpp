// What kernels make of products and distances, a vector at a time.
// Included by kernel_tiles.cpp alone, inside its unnamed namespace.

// e^x = 2^k e^r with k the whole number nearest to x / log 2, so |r| ≤ (log 2) / 2, and
// e^r = 1 + r + r² Q(r).
template <class Real>
struct Exponential;

template <>
struct Exponential<float> {
    static constexpr float least = -87;  // e^-87 is not subnormal
    static constexpr float to_whole =
        0x1.8p23f;  // added to a number, leaves no bits for a fraction
    // log 2 in two parts; k times the first is exact.
    static constexpr float log_2_high = 0x1.62e4p-1f, log_2_low = 0x1.7f7d1cp-20f;
    // Q's largest relative error is least: a sixteenth of a unit in the last place of e^r.
    static constexpr std::array q{0x1.6a23dp-10f, 0x1.123a2p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f,
                                  0x1.fffffcp-2f};
    static constexpr std::uint32_t bias = 127, exponent_at = 23;
};

template <>
struct Exponential<double> {
    static constexpr double least = -708;
    static constexpr double to_whole = 0x1.8p52;
    static constexpr double log_2_high = 0x1.62e42fefa2000p-1, log_2_low = 0x1.9ef35793c7673p-41;
    // Taylor's series; the first term left out is below half a unit in the last place.
    static constexpr auto q = [] {
        std::array<double, 12> terms{};
        double factorial = 1;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            factorial *= static_cast<double>(i + 2);
            terms[terms.size() - 1 - i] = 1 / factorial;
        }
        return terms;
    }();
    static constexpr std::uint64_t bias = 1023, exponent_at = 52;
};

// For x ≤ 0; exact for 0, and 0 where there would soon be no digits left.
template <class Real>
inline Vector<Real> exp_down(const Vector<Real>& x) {
    using Parts = Exponential<Real>;
    using Mask = typename Lanes<Real>::Mask;
    constexpr Real log2_of_e = static_cast<Real>(0x1.71547652b82fep+0);
    const Vector<Real> zero{};
    const Vector<Real> shifted = x * log2_of_e + Parts::to_whole;  // its last bits are those of k
    const Vector<Real> k = shifted - Parts::to_whole;
    const Vector<Real> r = (x - k * Parts::log_2_high) - k * Parts::log_2_low;
    Vector<Real> q = zero + Parts::q[0];
    for (std::size_t i = 1; i < Parts::q.size(); ++i) q = q * r + Parts::q[i];
    const Vector<Real> power = r * r * q + r + 1;
    const Mask exponent = (reinterpret_cast<Mask>(shifted) + Parts::bias) << Parts::exponent_at;
    return x < Parts::least ? zero : power * reinterpret_cast<Vector<Real>>(exponent);
}

template <class Real>
inline Vector<Real> between(const Vector<Real>& x, Real least, Real most) {
    const Vector<Real> zero{}, above = x > least ? x : zero + least;
    return above < most ? above : zero + most;
}

template <class Real>
inline Vector<Real> finite(const Vector<Real>& x) {
    constexpr Real most = std::numeric_limits<Real>::max();
    return between(x, -most, most);
}

template <class Real>
inline Vector<Real> absolute(const Vector<Real>& x) {
    using Bits = typename Lanes<Real>::Bits;
    constexpr Bits without_sign = std::numeric_limits<Bits>::max() / 2;
    using Mask = typename Lanes<Real>::Mask;
    return reinterpret_cast<Vector<Real>>(reinterpret_cast<Mask>(x) & without_sign);
}

// (1 − e)/(1 + e) with e = exp(−2|x|), and Taylor's series near 0, where 1 − e would lose digits.
template <class Real>
inline Vector<Real> hyperbolic_tangent(const Vector<Real>& x) {
    constexpr std::array series{Real(21844) / 6081075, Real(-1382) / 155925, Real(62) / 2835,
                                Real(-17) / 315,       Real(2) / 15,         Real(-1) / 3};
    const Vector<Real> zero{}, size = absolute<Real>(x), square = x * x;
    const Vector<Real> e = exp_down<Real>(size * -2);
    const Vector<Real> far = (1 - e) / (1 + e);
    Vector<Real> sum = zero + series[0];
    for (std::size_t i = 1; i < series.size(); ++i) sum = sum * square + series[i];
    const Vector<Real> near = size + size * square * sum;
    const Vector<Real> value = size < Real(0.125) ? near : far;
    return x < 0 ? -value : value;
}

template <class Real>
inline Vector<Real> squared_distance(const Vector<Real>& product, const Vector<Real>& squares) {
    const Vector<Real> zero{}, distance = squares - 2 * product;
    return distance > 0 ? distance : zero;
}

// out = of_value(sum, ‖x‖² + ‖z‖²) for each place of the tile.
template <class Real, class OfValue>
inline void for_tile(const TileEnds<Real>& ends, const Real* tile, Real* out, std::size_t stride,
                     OfValue&& of_value) {
    constexpr std::size_t width = panel_width<Real>;
    for (std::size_t row = 0; row < ends.n_rows; ++row) {
        const Real square = ends.row_squares[row];
        for (std::size_t j = 0; j < width; j += Lanes<Real>::n) {
            const Vector<Real> squares = load(ends.point_squares + j) + square;
            store<Real>(out + row * stride + j, of_value(load(tile + row * width + j), squares));
        }
    }
}

template <class Real>
void finish(const TileRule<Real>& rule, const TileEnds<Real>& ends, const Real* tile, Real* out,
            std::size_t stride) {
    using V = Vector<Real>;
    const Real factor = rule.factor, coef0 = rule.coef0;
    const auto end = [&](auto&& of_value) { for_tile(ends, tile, out, stride, of_value); };
    switch (rule.ending) {
        case Ending::linear: return end([=](V sum, V) { return finite<Real>(factor * sum); });
        case Ending::polynomial:
            return end([=, degree = rule.degree](V sum, V) {
                V base = finite<Real>(factor * sum + coef0), power = V{} + 1;
                for (int left = degree; left > 0; left >>= 1) {
                    if (left & 1) power = power * base;
                    base = base * base;
                }
                return finite<Real>(power);
            });
        case Ending::of_squares:
            return end([=](V sum, V squares) {
                return exp_down<Real>(factor * squared_distance<Real>(sum, squares));
            });
        case Ending::of_absolutes:
            return end([=](V sum, V) { return exp_down<Real>(factor * sum); });
        case Ending::sigmoid:
            return end([=](V sum, V) {
                constexpr Real most = 64;  // tanh is 1 from 20 on
                return hyperbolic_tangent<Real>(between<Real>(factor * sum + coef0, -most, most));
            });
        case Ending::squares:
            return end([=](V sum, V squares) {
                return finite<Real>(factor * squared_distance<Real>(sum, squares));
            });
    }
}
