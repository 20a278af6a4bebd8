"""
Spam by four signs
==================

A mail is spam or not. Four things are known of each: the share of letters in its text, whether it
was sent around midnight, the length of its subject, and whether it says "dollar". The signs are
weak one by one; together they are good enough, and the threshold decides which error is made.
"""

import os

import numpy as np

import branchline as bl
from branchline.assess.curves import confusion, roc_curve

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# Generated mails
# ---------------

random = np.random.default_rng(11)
n_mails = 400 if SMALL else 3000
is_spam = random.random(n_mails) < 0.4
mails = bl.Table(
    {
        "share_of_letters": np.clip(
            random.normal(np.where(is_spam, 0.68, 0.80), 0.08), 0.05, 1.0
        ).round(3),
        "hour": np.where(
            is_spam & (random.random(n_mails) < 0.5),
            random.normal(0, 2, n_mails) % 24,
            random.normal(13, 4, n_mails) % 24,
        ).astype(int),
        "subject_length": random.poisson(np.where(is_spam, 38, 24)),
        "says_dollar": random.random(n_mails) < np.where(is_spam, 0.45, 0.04),
        "kind": np.where(is_spam, "spam", "mail"),
    }
)
print(mails)

# %%
# Which learner?
# --------------

found = bl.compare(
    mails,
    "kind",
    learners="tree,naive_bayes,logistic,gradient_boosting",
    n_folds=5,
    positive="spam",
)
print(found)
standings = found.draw()

# %%
# What the tree asks
# ------------------

X, y = mails.split_target("kind")
tree = bl.make("tree", task="classification", rule="one_se").fit(X, y)
questions = tree.draw()
print(tree.to_text(max_depth=2))

# %%
# Which error is worse?
# ---------------------
#
# A lost mail is worse than a spam that comes through. The curve shows every trade; the matrix shows
# the one at a probability of one half, on rows that the model had not seen.

outcome = found.outcome(found.recommendation.learner)
trade = roc_curve(outcome).draw()
errors = confusion(outcome).draw()
print(confusion(outcome))

# %%
# What was learned
# ----------------
#
# - Four weak signs give about nine right answers in ten. No single one of them does.
# - The recommendation is the simplest learner that is probably not worse: adding boosting here buys
#   little or nothing.
# - The threshold is a decision, not a property of the model:
#   ``compare(…, costs={("mail", "spam"): 10})`` moves it to where it costs least.
