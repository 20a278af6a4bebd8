"""
Selection bias: structure in pure noise
=======================================

A table has few rows and very many columns, and no column has anything to do with the target.
Choose the ten best columns on all rows, then cross-validate a model on them: the error looks
excellent. It is an illusion, and an easy one to make.
"""

import os

import numpy as np

import branchline as bl
from branchline.assess import cross_validate
from branchline.charts import IntervalRow, interval_rows
from branchline.features import rank_columns

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Noise
# -----

random = np.random.default_rng(8)
n_rows, n_columns = 50, (300 if SMALL else 1000)
noise = bl.Table({f"x{j}": random.normal(size=n_rows) for j in range(n_columns)})
target = random.permutation(np.repeat(["a", "b"], n_rows // 2))
learner = bl.make("naive_bayes", task="classification")

# %%
# The mistake
# -----------
#
# All rows take part in the choice of columns, also those that are test rows later.

best = list(rank_columns(noise, target, by="t").top(10))
wrong = cross_validate(learner, noise.select(best), target, n_folds=5).score

# %%
# The same choice, inside each training set
# -----------------------------------------

right = cross_validate(learner, noise, target, n_folds=5, select="t:10").score

# %%
# And on new rows, which tell the truth
# -------------------------------------

new = bl.Table({f"x{j}": random.normal(size=2000) for j in range(n_columns)})
new_target = random.choice(["a", "b"], size=2000)
model = learner.fit(noise.select(best), target)
truth = float(np.mean(model.predict(new.select(best)) == new_target))

three_answers = interval_rows(
    [
        IntervalRow("chosen on all rows", wrong.estimate, wrong.low, wrong.high, "an illusion"),
        IntervalRow("chosen in each fold", right.estimate, right.low, right.high, "honest"),
        IntervalRow("2,000 new rows", truth, truth - 0.022, truth + 0.022, "the truth"),
    ],
    "accuracy",
    "Pure noise: three answers to one question",
    reference=0.5,
    reference_words="guessing",
)
print(f"wrong {wrong.estimate:.2f}, honest {right.estimate:.2f}, truth {truth:.2f}")

# %%
# What was learned
# ----------------
#
# - With 1,000 columns and 50 rows, some columns separate the classes by luck. Choosing them on all
#   rows, also the test rows, carries that luck into the score.
# - Everything that looks at the target belongs inside the training rows of each fold: choosing
#   columns, tuning, thresholds. ``select=`` of ``compare`` and ``cross_validate`` does that.
# - The honest interval contains one half. That is the right answer for noise.
