// Sums of kernel values times coefficients, in double whatever the kernel's values are.
// Included by kernel_tiles.cpp alone, inside its unnamed namespace.

template <class Real>
void widen(const Real* from, double* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<double>(from[i]);
}

template <class Real>
void add_few(const Real* values, std::size_t n_rows, const double* coefficients,
             std::size_t n_outputs, double* sums) {
    constexpr std::size_t width = panel_width<Real>, n = Lanes<double>::n;
    static_assert(sum_lanes % n == 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
        double wide[width];
        widen(values + row * width, wide, width);
        for (std::size_t output = 0; output < n_outputs; ++output) {
            double* const to = sums + (row * n_outputs + output) * sum_lanes;
            const double* const from = coefficients + output * width;
            for (std::size_t lane = 0; lane < sum_lanes; lane += n) {
                Vector<double> sum = load(to + lane);
                for (std::size_t j = lane; j < width; j += sum_lanes) {
                    sum = sum + load(wide + j) * load(from + j);
                }
                store(to + lane, sum);
            }
        }
    }
}

// Sums of a few rows for two vectors of outputs stay in registers.
template <std::size_t Width>
void add_outputs(const double* wide, const double* coefficients, std::size_t n_outputs,
                 double* sums) {
    constexpr std::size_t n = Lanes<double>::n;
    for (std::size_t output = 0; output < n_outputs; output += 2 * n) {
        Vector<double> sum[rows_at_once][2];
        for (std::size_t row = 0; row < rows_at_once; ++row) {
            sum[row][0] = load(sums + row * n_outputs + output);
            sum[row][1] = load(sums + row * n_outputs + output + n);
        }
        for (std::size_t j = 0; j < Width; ++j) {
            const std::size_t block = output / output_lanes * Width + j;
            const double* const from = coefficients + block * output_lanes + output % output_lanes;
            const Vector<double> low = load(from), high = load(from + n);
            for (std::size_t row = 0; row < rows_at_once; ++row) {
                sum[row][0] = sum[row][0] + wide[row * Width + j] * low;
                sum[row][1] = sum[row][1] + wide[row * Width + j] * high;
            }
        }
        for (std::size_t row = 0; row < rows_at_once; ++row) {
            store(sums + row * n_outputs + output, sum[row][0]);
            store(sums + row * n_outputs + output + n, sum[row][1]);
        }
    }
}

// Rows beyond n_rows count as zeros; `sums` has room for them.
template <class Real>
void add_many(const Real* values, std::size_t n_rows, const double* coefficients,
              std::size_t n_outputs, double* sums) {
    constexpr std::size_t width = panel_width<Real>;
    for (std::size_t row = 0; row < n_rows; row += rows_at_once) {
        double wide[rows_at_once * width] = {};
        widen(values + row * width, wide, std::min(rows_at_once, n_rows - row) * width);
        add_outputs<width>(wide, coefficients, n_outputs, sums + row * n_outputs);
    }
}
