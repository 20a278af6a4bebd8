// Losses that look at one score at a time, each with the type of its target,
// `derivatives` and `value`.
// Included inside the namespace of a processor level, after exponentials.hpp. The formulas are in
// boosting_losses.hpp; the last argument is the parameter.

struct Derivatives {
    float gradient;
    float hessian;
};

// A float of at most 2^127: no infinity may reach a sum.
inline float saturated(double x) { return static_cast<float>(bounded(x, 0x1p127)); }

inline double positive_part(double x) { return x > 0 ? x : 0; }

struct Squared {
    using Target = double;
    static Derivatives derivatives(double y, double score, double) {
        return {saturated(score - y), 1};
    }
    static double value(double y, double score, double) { return (score - y) * (score - y) / 2; }
};

struct Absolute {
    using Target = double;
    static Derivatives derivatives(double y, double score, double) {
        return {static_cast<float>(score > y) - static_cast<float>(score < y), 1};
    }
    static double value(double y, double score, double) {
        return positive_part(score - y) + positive_part(y - score);
    }
};

struct Huber {
    using Target = double;
    static Derivatives derivatives(double y, double score, double delta) {
        return {saturated(bounded(score - y, delta)), 1};
    }
    static double value(double y, double score, double delta) {
        const double clipped = bounded(score - y, delta);
        return clipped * ((score - y) - clipped / 2);  // d²/2, or δ(|d| − δ/2)
    }
};

struct Quantile {
    using Target = double;
    static Derivatives derivatives(double y, double score, double q) {
        const double slope = score > y ? 1 - q : score < y ? -q : 0;
        return {static_cast<float>(slope), 1};
    }
    static double value(double y, double score, double q) {
        return q * positive_part(y - score) + (1 - q) * positive_part(score - y);
    }
};

struct Poisson {
    using Target = double;
    static Derivatives derivatives(double y, double score, double) {
        const double mean = exp64(score);
        return {saturated(mean - y), saturated(mean)};
    }
    static double value(double y, double score, double) {
        const double log_y = log64(y > 0 ? y : 1);  // y log y is 0 for y = 0
        return positive_part(exp64(score) - y + y * (log_y - bounded(score, exp64_limit)));
    }
};

struct Gamma {
    using Target = double;
    static Derivatives derivatives(double y, double score, double) {
        const double ratio = y * exp64(-score);
        return {saturated(1 - ratio), saturated(ratio)};
    }
    static double value(double y, double score, double) {
        const double log_ratio = log64(y) - bounded(score, exp64_limit);
        return positive_part(exp64(log_ratio) - log_ratio - 1);
    }
};

struct Tweedie {
    using Target = double;
    static Derivatives derivatives(double y, double score, double power) {
        const double a = exp64((2 - power) * score), b = y * exp64((1 - power) * score);
        return {saturated(a - b), saturated((2 - power) * a + (power - 1) * b)};
    }
    static double value(double y, double score, double power) {
        const double a = exp64((2 - power) * score), b = y * exp64((1 - power) * score);
        const double best = y > 0 ? exp64((2 - power) * log64(y > 0 ? y : 1)) : 0;
        return positive_part(a / (2 - power) + (b - best / (2 - power)) / (power - 1));
    }
};

// +1 for class 1, −1 for class 0.
inline double side_of(std::uint32_t class_index) { return 2.0 * (class_index != 0) - 1.0; }

struct Logistic {
    using Target = std::uint32_t;
    // p and 1 − p both keep their digits, since neither is the difference of 1 and the other.
    static Derivatives derivatives(std::uint32_t y, double score, double) {
        const float odds = exp32(static_cast<float>(score));
        const float not_p = 1 / (1 + odds), p = odds * not_p;
        return {y != 0 ? -not_p : p, p * not_p};
    }
    static double value(std::uint32_t y, double score, double) {
        const double margin = side_of(y) * score;
        const double size = margin > 0 ? margin : -margin;
        return positive_part(-margin) + positive_part(log1p64(exp64(-size)));
    }
};

struct Exponential {
    using Target = std::uint32_t;
    static Derivatives derivatives(std::uint32_t y, double score, double) {
        const double side = side_of(y), value = exp64(-side * score);
        return {saturated(-side * value), saturated(value)};
    }
    static double value(std::uint32_t y, double score, double) {
        return exp64(-side_of(y) * score);
    }
};
