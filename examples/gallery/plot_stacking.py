"""
Two levels: stacking
====================

The winners of a famous contest of film ratings did not find one best model: they combined hundreds.
Stacking does it in two levels. Learners of the first level predict rows that they have not seen;
a simple learner of the second level finds out how much to trust each.
"""

import os

import numpy as np

import branchline as bl
from branchline.assess import cross_validate
from branchline.charts import Bar, IntervalRow, bar_rows, interval_rows
from branchline.ensemble import StackingRegressor

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Miles per gallon of 398 cars
# ----------------------------

X, y = bl.load_dataset("auto-mpg").split_target("mpg")
members = ("tree", "ridge") if SMALL else ("tree", "ridge", "nearest_neighbors", "random_forest")
n_folds = 3 if SMALL else 5
stack = StackingRegressor(estimators=members, final_estimator="ridge")
learners = {name: bl.make(name, task="regression") for name in members} | {"stack": stack}
scores = {
    name: cross_validate(model, X, y, n_folds=n_folds, metric="rmse").score
    for name, model in learners.items()
}
errors = interval_rows(
    [
        IntervalRow(
            name,
            score.estimate,
            score.low,
            score.high,
            f"{score.estimate:.2f}",
            is_chosen=name == "stack",
        )
        for name, score in scores.items()
    ],
    "root mean squared error, miles per gallon",
    "Single learners and the stack",
)

# %%
# What does the second level trust?
# ---------------------------------

stack.fit(X, y)
weights = np.asarray(stack.final_.coef_)
trust = bar_rows(
    [
        Bar(name, float(weight), f"{weight:.2f}".replace("-", "−"))
        for name, weight in zip(members, weights.ravel(), strict=True)
    ],
    "weight in the second level",
    "How much each learner counts",
)

# %%
# What was learned
# ----------------
#
# - The second level learns from predictions of rows that the first level did not see. Predictions
#   of its own training rows would make a deep tree look perfect.
# - The stack is at least about as good as the best member, and often better: the members err on
#   different rows.
# - The gain is small, and four models are read less easily than one: look at the interval of the
#   difference before you pay for it.
