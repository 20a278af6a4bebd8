"""Machines in files: every class and kernel comes back the same; damaged states are refused."""

import pickle

import numpy as np
import pytest

from branchline import Table, load
from branchline.errors import BranchlineError, ModelFileError
from branchline.kernels import (
    RBF,
    CommonSubstrings,
    Constant,
    Hamming,
    Linear,
    Polynomial,
    Spectrum,
    Subsequence,
)
from branchline.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM, SVCGrid

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3))
Y = X[:, 0] + X[:, 1] ** 2 > 0.6
SEVERAL = np.digitize(X[:, 0], [-0.5, 0.5])
MIXED = Table(
    {
        "size": [None, *X[1:, 0].tolist()],
        "color": RANDOM.choice(["red", "green", "blue"], 50).tolist(),
        "town": [*RANDOM.choice(["Ath", "Mons"], 49).tolist(), None],
    }
)
TEXTS = ["".join(RANDOM.choice(list("acgt"), 10)) for _ in range(50)]

MODELS = {
    "SVC": lambda: SVC().fit(X, Y),
    "several classes": lambda: SVC(10, strategy="one_vs_rest").fit(X, SEVERAL),
    "names of classes": lambda: SVC(kernel="linear").fit(X, np.array(["a", "b"])[Y * 1]),
    "hard margin": lambda: SVC(margin="hard").fit(X, Y),
    "squared slack": lambda: SVC(loss="squared_hinge", fit_intercept=False).fit(X, Y),
    "NuSVC": lambda: NuSVC(0.3).fit(X, SEVERAL),
    "SVR": lambda: SVR(10).fit(X, X[:, 2]),
    "NuSVR": lambda: NuSVR(10, kernel="poly").fit(X, X[:, 2]),
    "OneClassSVM": lambda: OneClassSVM(0.2, kernel="laplacian").fit(X),
    "SVCGrid": lambda: SVCGrid([1.0, 10.0], [0.1, 1.0]).fit(X, SEVERAL),
    "given matrix": lambda: SVC(kernel="precomputed").fit(X @ X.T, Y),
}
KERNELS = {
    "product": RBF("size") * Hamming("color"),
    "sum": Hamming("color", "town") + 0.5 * RBF("size", gamma=2.0),
    "power": (Linear("size") + Constant(1.0)) ** 2,
    "normalized": Polynomial(2, "size", coef0=1.0).normalized() * Hamming("town"),
    "whole table": RBF(),
}
TEXT_KERNELS = {
    "spectrum": Spectrum(k=2),
    "normalized": Spectrum(k=2).normalized() + CommonSubstrings(decay=0.5),
    "subsequence": 2.0 * Subsequence(length=2),
}


def rows_for(name):
    return X @ X.T if name == "given matrix" else X


def assert_same(model, other, rows):
    """Both say the same of rows, to the last bit, and of themselves."""
    for method in ("predict", "decision_function", "predict_proba", "score_samples"):
        if hasattr(model, method):
            assert (getattr(model, method)(rows) == getattr(other, method)(rows)).all()
    for name in ("support_", "dual_coef_", "intercept_", "objective_", "gap_", "kkt_violation_",
                 "margin_", "loo_bound_", "epsilon_", "offset_", "C_", "scores_"):  # fmt: skip
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(other, name))


@pytest.mark.parametrize("name", MODELS)
def test_a_file_and_a_pickle_give_the_same_machine(name, tmp_path):
    model = MODELS[name]()
    model.save(tmp_path / "model.branchline")
    assert_same(model, load(tmp_path / "model.branchline"), rows_for(name))
    assert_same(model, pickle.loads(pickle.dumps(model)), rows_for(name))


@pytest.mark.parametrize("make", [SVC, SVR, OneClassSVM], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_columns_are_saved(make, name, tmp_path):
    model = make(kernel=KERNELS[name]).fit(MIXED, X[:, 1] if make is SVR else Y)
    model.save(tmp_path / "model.branchline")
    same = load(tmp_path / "model.branchline")
    assert same.kernel == KERNELS[name]
    assert_same(model, same, MIXED)


@pytest.mark.parametrize("make", [SVC, SVR, OneClassSVM], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", TEXT_KERNELS)
def test_kernels_of_texts_are_saved(make, name, tmp_path):
    model = make(kernel=TEXT_KERNELS[name]).fit(TEXTS, X[:, 1] if make is SVR else Y)
    model.save(tmp_path / "model.branchline")
    assert_same(model, load(tmp_path / "model.branchline"), TEXTS)


def test_a_function_of_the_users_cannot_be_saved(tmp_path):
    model = SVC(kernel=lambda a, b: a @ b.T).fit(X, Y)
    with pytest.raises(BranchlineError):
        model.save(tmp_path / "model.branchline")


# -- damaged states -----------------------------------------------------------------------------


def damaged(name, change):
    """Unpack a state in which ``change`` has replaced parts; return the code of its refusal."""
    model = MODELS[name]()
    state = dict(model._pack())
    change(state)
    with pytest.raises(ModelFileError) as caught:
        type(model)(**model.get_params())._unpack(state, model.schema_)
    return caught.value.code


def put(name, value):
    return lambda state: state.update({name: value})


def put_in_machine(name, value):
    def change(state):
        state["machines"] = [{**state["machines"][0], name: value}, *state["machines"][1:]]

    return change


def without(name):
    return lambda state: state.pop(name)


CLASSIFIER_DAMAGE = {
    "no kernel": without("kernel"),
    "kernel as text": put("kernel", "rbf"),
    "no rows": without("points"),
    "rows as numbers": put("points", np.zeros((4, 3))),
    "row numbers of another length": put("support", np.arange(2)),
    "row numbers twice": lambda state: state["support"].fill(1),
    "row numbers below 0": lambda state: state.update(support=state["support"] - 10**6),
    "single as number": put("is_single", 1),
    "no classes": without("classes"),
    "no machine": put("machines", []),
    "machines as mapping": put("machines", {}),
    "class out of range": lambda state: state.update(support_class=state["support_class"] + 9),
    "class as float": lambda state: state.update(support_class=state["support_class"] * 1.0),
    "no about": without("about"),
    "short about": put("about", np.zeros(2)),
    "negative about": lambda state: state.update(about=-state["about"]),
    "about as list": lambda state: state.update(about=state["about"].tolist()),
    "about without numbers": lambda state: state.update(about=state["about"] * np.nan),
    "place out of range": put_in_machine("places", np.array([0, 10**6])),
    "places out of order": put_in_machine("places", np.array([1, 0])),
    "coefficients of another length": put_in_machine("coefficients", np.ones(1)),
    "coefficient without value": put_in_machine("coefficients", np.full(10**3, np.nan)),
    "bias as text": put_in_machine("bias", "0"),
    "infinite bias": put_in_machine("bias", np.inf),
    "negative slopes": put_in_machine("slopes", np.array([-1.0, 1.0])),
    "a slope too many": put_in_machine("slopes", np.ones(3)),
    "steps as truth": put_in_machine("n_steps", True),
    "more": put_in_machine("more", 1),
}


@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
@pytest.mark.parametrize("damage", CLASSIFIER_DAMAGE)
def test_a_damaged_classifier_is_refused(name, damage):
    assert damaged(name, CLASSIFIER_DAMAGE[damage]) in ("M002", "M005")


REGRESSOR_DAMAGE = {
    "no kernel": without("kernel"),
    "no coefficients": without("coefficients"),
    "one coefficient": put("coefficients", np.ones(1)),
    "coefficients as text": put("coefficients", "1"),
    "no objectives": without("objectives"),
    "objectives without value": put("objectives", np.full(3, np.nan)),
    "negative steps": put("n_steps", -3),
}


@pytest.mark.parametrize("name", ["SVR", "NuSVR", "OneClassSVM"])
@pytest.mark.parametrize("damage", REGRESSOR_DAMAGE)
def test_a_damaged_regressor_is_refused(name, damage):
    assert damaged(name, REGRESSOR_DAMAGE[damage]) in ("M002", "M005")


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("SVR", "bias", np.nan),
        ("SVR", "epsilon", None),
        ("OneClassSVM", "offset", "0"),
        ("OneClassSVM", "coefficients", -np.ones(10)),
        ("NuSVC", "strengths", np.ones(7)),
        ("NuSVC", "strengths", -np.ones(3)),
        ("SVCGrid", "gammas", np.array([1.0, 0.5])),
        ("SVCGrid", "gammas", np.array([-1.0, 0.5])),
        ("SVCGrid", "strengths", np.zeros(0)),
        ("SVCGrid", "strengths", [1.0]),
        ("SVCGrid", "fold_scores", np.zeros(3)),
        ("SVCGrid", "n_folds", 0),
        ("SVCGrid", "n_folds", True),
        ("SVCGrid", "model", None),
        ("SVCGrid", "model", {}),
    ],
)
def test_other_damaged_parts_are_refused(name, part, value):
    assert damaged(name, put(part, value)) in ("M002", "M005")
