"""
XOR and parity
==============

Two switches, one lamp: it is on when exactly one of them is. No single switch tells anything, so
greedy trees and linear models fail. Looking two steps ahead, a product of columns, or a kernel
solves it.
"""

import os
from dataclasses import replace

import numpy as np

import branchline as bl
from branchline.assess import cross_validate
from branchline.charts import IntervalRow, Panels, boundaries, interval_rows
from branchline.linear import LogisticRegression
from branchline.svm import SVC
from branchline.tree import DecisionTreeClassifier

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Four clouds of points
# ---------------------

random = np.random.default_rng(5)
n_rows = 120 if SMALL else 300
points = random.uniform(-1, 1, size=(n_rows, 2))
lamp = np.where((points[:, 0] > 0) != (points[:, 1] > 0), "on", "off")
table = bl.Table({"left": points[:, 0], "right": points[:, 1]})
learners = {
    "logistic regression": LogisticRegression(),
    "stump": DecisionTreeClassifier(max_depth=1, prune=None),
    "tree, two steps ahead": DecisionTreeClassifier(max_depth=2, lookahead=2, prune=None),
    "SVM, RBF kernel": SVC(),
}
regions = Panels(
    tuple(
        replace(boundaries(model.fit(table, lamp), table, lamp), title=name)
        for name, model in learners.items()
    ),
    title="What each learner predicts",
)

# %%
# How good are they on rows that they have not seen?

scores = {
    name: cross_validate(model, table, lamp, n_folds=5).score for name, model in learners.items()
}
accuracies = interval_rows(
    [
        IntervalRow(name, score.estimate, score.low, score.high, f"{score.estimate:.2f}")
        for name, score in scores.items()
    ],
    "accuracy, 5 folds",
    "XOR: who can see it",
    reference=0.5,
    reference_words="guessing",
)

# %%
# Parity of three bits
# --------------------
#
# With three switches, no pair tells anything either: the tree has to look three steps ahead.
# ``lookahead=k`` costs tests to the power of k − 1, which is why it is not the default.

bits = (np.arange(8)[:, None] >> np.arange(3)) & 1
odd = bits.sum(axis=1) % 2
accuracy_by_lookahead = {
    steps: float(
        DecisionTreeClassifier(lookahead=steps, prune=None).fit(bits, odd).score(bits, odd)
    )
    for steps in (1, 2, 3)
}
print(accuracy_by_lookahead)

# %%
# What was learned
# ----------------
#
# - A greedy tree takes the test that helps most *now*. In XOR every test helps nothing, so it stops
#   or guesses. Two steps of look-ahead find the four squares exactly.
# - A linear model cannot draw this boundary with the two columns alone, whatever its weights.
# - Parity of k bits needs k steps of look-ahead: interactions without main effects are hard for
#   every greedy method, and worth a thought when columns look useless one by one.
