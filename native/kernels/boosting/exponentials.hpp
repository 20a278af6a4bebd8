// Exponentials and logarithms without branches, which compilers turn into vector instructions.
// Included inside the namespace of a processor level: there is one copy for each.
//
// e^x = 2^k e^r with k the whole number nearest to x / log 2, so |r| ≤ (log 2) / 2. In float64, e^r
// is its Taylor series, whose first term left out is below half a unit in the last place. In
// float32 it is 1 + r + r² Q(r), Q being the polynomial of degree 4 that makes the largest relative
// error least: 2^-28, a sixteenth of a unit.
// log x = e log 2 + log m with √½ ≤ m < √2, and log m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …) with s
// = (m − 1)/(m + 1).

constexpr double log2_of_e = 0x1.71547652b82fep+0;
// log 2 in two parts; the first has 13 zero bits at its end, so that k times it is exact.
constexpr double log_2_high = 0x1.62e42fefa2000p-1;
constexpr double log_2_low = 0x1.9ef35793c7673p-41;
// Added to a number below 2^51, it leaves no bits for a fraction: the sum is rounded to a whole.
constexpr double to_whole = 0x1.8p52;

constexpr float to_whole32 = 0x1.8p23f;

constexpr float exp32_limit = 87;  // neither e^87 nor its inverse is subnormal in float32
constexpr double exp64_limit = 708;

// NaN becomes the lower limit.
template <class Float>
Float between(Float x, Float low, Float high) {
    const Float above = x > low ? x : low;
    return above < high ? above : high;
}

inline double bounded(double x, double limit) { return between(x, -limit, limit); }

// e^x for −87 ≤ x ≤ most (at most 87), saturating beyond; exact for 0.
inline float exp32(float x, float most = exp32_limit) {
    constexpr float log_2_first = 0x1.62e4p-1f, log_2_rest = 0x1.7f7d1cp-20f;
    const float within = between(x, -exp32_limit, most);
    const float shifted = within * static_cast<float>(log2_of_e) + to_whole32;
    const float k = shifted - to_whole32;
    const float r = (within - k * log_2_first) - k * log_2_rest;
    float q = 0x1.6a23dp-10f;
    q = q * r + 0x1.123a2p-7f;
    q = q * r + 0x1.5558f2p-5f;
    q = q * r + 0x1.555492p-3f;
    q = q * r + 0x1.fffffcp-2f;
    const float power = r * r * q + r + 1;
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) + 127;
    return power * std::bit_cast<float>(exponent << 23);
}

constexpr std::size_t n_exp_terms = 14;

constexpr std::array<double, n_exp_terms> inverse_factorials() {
    std::array<double, n_exp_terms> terms{};
    double factorial = 1;
    for (std::size_t i = 0; i < n_exp_terms; ++i) {
        if (i > 0) factorial *= static_cast<double>(i);
        terms[i] = 1 / factorial;
    }
    return terms;
}

// e^x for |x| ≤ 708, saturating beyond; exact for 0.
inline double exp64(double x) {
    constexpr auto term = inverse_factorials();
    const double within = bounded(x, exp64_limit);
    const double shifted = within * log2_of_e + to_whole;  // its last bits are those of k
    const double k = shifted - to_whole;
    const double r = (within - k * log_2_high) - k * log_2_low;
    double series = term[n_exp_terms - 1];
    for (std::size_t i = n_exp_terms - 1; i > 0; --i) series = series * r + term[i - 1];
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) + 1023;
    return series * std::bit_cast<double>(exponent << 52);
}

// 2 artanh s for √½ ≤ (1 + s)/(1 − s) ≤ √2, so |s| < 0.172.
inline double twice_artanh(double s) {
    constexpr int n_terms = 11;
    const double square = s * s;
    double series = 0;
    for (int i = n_terms - 1; i > 0; --i) series = (series + 1.0 / (2 * i + 1)) * square;
    return 2 * s + 2 * s * series;
}

// log(1 + x) for 0 ≤ x ≤ 1, to 2^-52.
inline double log1p64(double x) {
    constexpr double root_of_2 = 0x1.6a09e667f3bcdp+0, log_of_it = 0x1.62e42fefa39efp-2;
    return log_of_it + twice_artanh((1 + x - root_of_2) / (1 + x + root_of_2));
}

// log x for finite x > 0, subnormal ones too.
inline double log64(double x) {
    const bool is_small = x < 0x1p-1022;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(is_small ? x * 0x1p54 : x);
    // Counted from √½, so that the exponent changes where the mantissa passes it.
    const std::uint64_t from_root = bits - std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
    const auto whole = static_cast<std::int64_t>(from_root) >> 52;
    const auto exponent = static_cast<double>(whole - (is_small ? 54 : 0));
    const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(whole) << 52));
    const double log_m = twice_artanh((m - 1) / (m + 1));
    return exponent * log_2_high + (log_m + exponent * log_2_low);
}
