"""Few-line twins of support vector machines: an interior-point solver, kernels, and objectives.

The solver shares nothing with the library's: Newton steps along the central path of

    minimize  ½ xᵀQx − qᵀx   with   low ≤ x ≤ high  and  A x = c
"""

import numpy as np
from sklearn.metrics import pairwise


def kernel_values(name, a, b, *, gamma=1.0, degree=3, coef0=0.0):
    """Return a kernel's matrix as scikit-learn computes it."""
    parameters = {
        "linear": {},
        "poly": {"gamma": gamma, "degree": degree, "coef0": coef0},
        "rbf": {"gamma": gamma},
        "laplacian": {"gamma": gamma},
        "sigmoid": {"gamma": gamma, "coef0": coef0},
    }
    return pairwise.pairwise_kernels(a, b, metric=name, **parameters[name])


def least_quadratic(Q, q, low, high, A, c):
    """Return the point of least objective, and that objective; bounds may be infinite."""
    n, m = len(q), len(A)
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    low, high = np.where(has_low, low, 0.0), np.where(has_high, high, 0.0)
    x = np.where(has_low & has_high, (low + high) / 2, np.where(has_low, low + 1, high - 1))
    steep = 1 + np.abs(Q @ x - q).max()  # multipliers as large as slopes, or steps stay short
    y, z, v = np.zeros(m), steep * has_low, steep * has_high
    for _ in range(200):
        s = np.where(has_low, np.maximum(x - low, 1e-100), 1.0)
        t = np.where(has_high, np.maximum(high - x, 1e-100), 1.0)
        mu = (s @ z + t @ v) / (has_low.sum() + has_high.sum())
        slope = Q @ x - q - A.T @ y - z + v
        missing = c - A @ x
        left = max(np.abs(slope).max(), np.abs(missing).max(initial=0))
        if mu < 1e-13 * steep and left < 1e-9 * steep:
            break
        pull_z, pull_v = 0.1 * mu / s * has_low, 0.1 * mu / t * has_high
        hessian = Q + np.diag(z / s + v / t + 1e-13 * np.abs(Q).max())
        unit = np.sqrt(np.diag(hessian))  # variables near their bounds are on another scale
        system = np.zeros((n + m, n + m))
        system[:n, :n] = hessian / np.outer(unit, unit)
        system[:n, n:], system[n:, :n] = -A.T / unit[:, None], A / unit
        known = np.concatenate([(-slope + (pull_z - z) - (pull_v - v)) / unit, missing])
        step = np.linalg.solve(system, known)
        step[:n] /= unit
        dx, dy = step[:n], step[n:]
        dz, dv = pull_z - z - z / s * dx, pull_v - v + v / t * dx
        size = min(_room(s, dx * has_low), _room(t, -dx * has_high), _room(z, dz), _room(v, dv))
        x, y, z, v = x + size * dx, y + size * dy, z + size * dz, v + size * dv
    else:
        raise ArithmeticError("the interior-point twin did not end")
    return x, float(0.5 * x @ Q @ x - q @ x)


def _room(values, step):
    """Return the largest step up to 1 that keeps values positive."""
    falling = step < 0
    return min(1.0, 0.995 * float(np.min(-values[falling] / step[falling], initial=np.inf)))


def classification_optimum(K, labels, costs, *, squared=False, has_bias=True):
    """Return the least of ½‖w‖² + Σ costs · slack (or slack²) by the dual."""
    high = np.full(len(labels), np.inf) if squared else costs
    Q = labels[:, None] * K * labels + (np.diag(1 / (2 * costs)) if squared else 0)
    A = labels[None, :] if has_bias else np.zeros((0, len(labels)))
    zero = np.zeros(len(labels))
    return -least_quadratic(Q, np.ones(len(labels)), zero, high, A, np.zeros(len(A)))[1]


def regression_optimum(K, numbers, costs, epsilon, *, squared=False):
    """Return the least of ½‖w‖² + Σ costs · max(0, |f − y| − ε) (or its square) by the dual."""
    n = len(numbers)
    if epsilon == 0 and not squared:  # one variable a row: both of a row together have no effect
        return -least_quadratic(K, numbers, -costs, costs, np.ones((1, n)), np.zeros(1))[1]
    signs = np.repeat([1.0, -1.0], n)
    Q = signs[:, None] * np.tile(K, (2, 2)) * signs
    both = np.concatenate([costs, costs])
    high = np.full(2 * n, np.inf) if squared else both
    if squared:
        Q = Q + np.diag(1 / (2 * both))
    q = signs * np.concatenate([numbers, numbers]) - epsilon
    return -least_quadratic(Q, q, np.zeros(2 * n), high, signs[None, :], np.zeros(1))[1]


def one_class_optimum(K, weights, nu):
    """Return the least of ½‖w‖² − ν n ρ + Σ weights · slack by the dual."""
    n, total = len(weights), nu * weights.sum()
    zero = np.zeros(n)
    return -least_quadratic(K, zero, zero, weights, np.ones((1, n)), np.array([total]))[1]


def classification_objective(K, labels, costs, decision, beta, *, squared=False):
    """Return ½‖w‖² + Σ costs · slack of a machine with these coefficients and decisions."""
    slack = np.maximum(0, 1 - labels * decision)
    return 0.5 * beta @ K @ beta + costs @ (slack**2 if squared else slack)


def regression_objective(K, residuals, costs, epsilon, beta, *, squared=False):
    """Return ½‖w‖² + Σ costs · max(0, |residual| − ε) of a machine."""
    slack = np.maximum(0, np.abs(residuals) - epsilon)
    return 0.5 * beta @ K @ beta + costs @ (slack**2 if squared else slack)
