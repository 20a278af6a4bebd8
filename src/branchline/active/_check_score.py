"""How good the model is, measured on check rows that it has not seen.

1. The check rows are a simple random sample of the table (``_pool``). The model that predicts them
   learned from the other labels, and no row was chosen with a model that had seen them.
2. Accuracy has Wilson's interval. The rmse has the interval of the mean squared error, on a
   logarithmic scale (delta method), with the quantile of Student's t.

So the score is unbiased, for the model without the check rows. The final model learns from them,
too: on average it is a little better than the score.
"""

import numpy as np
from scipy import stats

from branchline._arrays import Floats
from branchline._intervals import Interval, wilson_interval
from branchline.active._fitting import Fitted
from branchline.active._pool import Pool
from branchline.errors import DataError, Repair

__all__ = ["LEAST_CHECKS", "check_score"]

LEAST_CHECKS = 10


def check_score(fitted: Fitted, pool: Pool) -> Interval:
    """Return accuracy or rmse with its 95 % interval.

    Parameters
    ----------
    fitted
        The model of the other labels.
    pool
        Rows and answers.
    """
    checks = pool.check_rows
    if len(checks) < LEAST_CHECKS:
        raise DataError(
            f"{len(checks)} check rows have labels, and {LEAST_CHECKS} are needed: a score on "
            "chosen rows would be biased. Label more rows, with a larger check_share.",
            code="D631",
            repair=Repair("learner = ActiveLearner(X, y, check_share=0.5)", "--check-share 0.5"),
        )
    outputs = fitted.outputs(pool.table.rows(checks))
    truth = np.asarray([pool.answers[row] for row in checks.tolist()])
    if fitted.classes is None:
        return _rmse((outputs - truth) ** 2)
    n_hits = int(np.sum(fitted.classes[outputs.argmax(axis=1)] == truth))
    return wilson_interval(n_hits, len(checks))


def _rmse(squared: Floats) -> Interval:
    mean = float(squared.mean())
    if mean == 0:
        return Interval(0.0, 0.0, 0.0)
    error = float(squared.std(ddof=1)) / np.sqrt(len(squared)) / (2 * mean)  # of log rmse
    reach = float(np.exp(stats.t.ppf(0.975, len(squared) - 1) * error))
    return Interval(mean**0.5, mean**0.5 / reach, mean**0.5 * reach)
