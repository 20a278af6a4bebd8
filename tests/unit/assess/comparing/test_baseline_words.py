"""What is said where the baseline is recommended."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.assess import compare
from branchline.report import report_document

pytestmark = pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")


def _ranks_without_hits(n_rows: int = 240) -> tuple[np.ndarray, np.ndarray]:
    """A rare class that one column makes more probable, but never the most probable one."""
    rng = np.random.default_rng(3)
    x = rng.uniform(size=n_rows)
    return x[:, None], np.where(rng.uniform(size=n_rows) < 0.45 * x, "ill", "well")


def test_inputs_that_rank_rows_are_not_said_to_tell_nothing():
    X, y = _ranks_without_hits()
    found = compare(X, y, learners="logistic,tree", n_folds=5)
    advice = found.recommendation
    assert advice.learner == "baseline"
    assert "not been shown to tell anything" not in str(advice)
    assert "logistic ranks rows better than chance (auc 0.7" in advice.ranks
    assert "--metric log_loss or --metric auc" in advice.ranks
    told = report_document(found)["decision"]
    assert "is shown to do better by accuracy than" in told["sentence"]
    assert "logistic regression ranks rows better than chance" in told["doubt"]


def test_ranks_of_a_few_rows_are_not_better_than_chance_where_their_interval_holds_it():
    table = load_dataset("iris").rows([*range(18), 50, 51])
    found = compare(table, "species")
    assert found.score("random_forest", "auc").estimate == 1.0
    assert found.score("random_forest", "auc").low < 0.5
    assert found.recommendation.learner == "baseline"
    assert found.recommendation.ranks == ""


def test_noise_tells_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.choice(["a", "b"], 120)
    advice = compare(X, y, learners="naive_bayes,one_rule", n_folds=5).recommendation
    assert advice.learner == "baseline"
    assert advice.ranks == ""


def test_how_many_rows_would_show_that_the_best_beats_the_baseline():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(40, 1))
    y = 0.5 * x[:, 0] + rng.normal(size=40)
    found = compare(x, y, learners="ridge", n_folds=5)
    advice = found.recommendation
    assert advice.learner == "baseline"
    assert advice.rows_to_settle > 40
    assert "would settle whether ridge is really better than the baseline" in advice.settling
    assert advice.settling in report_document(found)["decision"]["doubt"]
    # Enough rows of the same kind do settle it.
    rng = np.random.default_rng(2)
    x = rng.normal(size=(3 * advice.rows_to_settle, 1))
    y = 0.5 * x[:, 0] + rng.normal(size=len(x))
    assert compare(x, y, learners="ridge", n_folds=5).recommendation.learner == "ridge"
