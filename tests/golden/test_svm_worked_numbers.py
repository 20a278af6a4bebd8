"""The worked numbers of support vector machines and kernels, as the estimators give them."""

import numpy as np
import pytest

from branchline import load_dataset
from branchline.errors import DataError
from branchline.kernels import Precomputed
from branchline.svm import SVC
from golden.small_tables import printed

SQUARE = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1, "standardize": False}


def alphas(model, n_rows):
    """Return α of each row."""
    found = np.zeros(n_rows)
    found[model.support_] = np.abs(model.dual_coef_[0])
    return found


class TestFiveNumbers:
    """x = 1, 2, 4, 5, 6 with K = (xy + 1)² and C = 100."""

    X = np.array([[1.0], [2.0], [4.0], [5.0], [6.0]])
    Y = np.array([1, 1, -1, -1, 1])

    @pytest.fixture
    def model(self):
        return SVC(100, **SQUARE).fit(self.X, self.Y)

    def test_alphas(self, model):
        assert alphas(model, 5) == printed([0, 2.5, 0, 7.333, 4.833], 3)
        assert sorted(model.support_) == [1, 3, 4]
        order = np.argsort(model.support_)
        assert np.sign(model.dual_coef_[0][order]).tolist() == [1, -1, 1]

    def test_bias(self, model):
        assert model.intercept_ == printed([9.0], 3)

    def test_function(self, model):
        x = np.linspace(-3, 9, 41)
        f = model.decision_function(x[:, None])
        assert np.polyfit(x, f, 2) == printed([0.667, -5.333, 9.0], 3)
        assert f == pytest.approx(2 / 3 * x**2 - 16 / 3 * x + 9, abs=1e-6)

    def test_certificate(self, model):
        # ‖w‖² = Σ α, because all support vectors are free.
        assert model.objective_ == pytest.approx(alphas(model, 5).sum() / 2)
        assert model.gap_ == pytest.approx(0, abs=1e-8)
        assert model.margin_ == pytest.approx(2 / np.sqrt(2.5 + 22 / 3 + 29 / 6))
        assert model.loo_bound_ == pytest.approx(0.6)
        assert model.slack_ == pytest.approx(np.zeros(5), abs=1e-8)

    def test_the_hard_margin_is_the_same(self, model):
        hard = SVC(margin="hard", tol=1e-8, **SQUARE).fit(self.X, self.Y)
        assert hard.decision_function(self.X) == pytest.approx(model.decision_function(self.X))
        assert alphas(hard, 5) == printed([0, 2.5, 0, 7.333, 4.833], 3)


class TestExclusiveOr:
    """(±1, ±1) with K = (x·y + 1)²: f(x) = −x₁x₂."""

    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    Y = np.array([-1, 1, 1, -1])

    @pytest.mark.parametrize("parameters", [{"C": 1}, {"C": 1000}, {"margin": "hard"}])
    def test_machine(self, parameters):
        model = SVC(tol=1e-8, **SQUARE, **parameters).fit(self.X, self.Y)
        assert alphas(model, 4) == printed([0.125] * 4, 3)
        assert model.intercept_ == pytest.approx([0.0], abs=1e-9)
        new = np.random.default_rng(0).normal(size=(50, 2))
        assert model.decision_function(new) == pytest.approx(-new[:, 0] * new[:, 1], abs=1e-6)
        assert model.margin_ == pytest.approx(2 * np.sqrt(2))
        assert model.objective_ == pytest.approx(0.25)

    def test_no_line_separates_them(self):
        with pytest.raises(DataError) as caught:
            SVC(kernel="linear", margin="hard", standardize=False).fit(self.X, self.Y)
        assert caught.value.code == "D170"


class TestKernelOfSix:
    @pytest.mark.parametrize(("entry", "least"), [(0.17, -0.046), (0.70, -0.011)])
    def test_it_is_no_kernel(self, entry, least):
        K = load_dataset("kernel-6").to_numpy().copy()
        K[1, 3] = K[3, 1] = entry
        verdict = Precomputed().is_psd(K)
        assert not verdict
        assert verdict.least_eigenvalue == printed(least, 3)
        rows, shares = np.array(verdict.witness.rows), np.array(verdict.witness.coefficients)
        energy = shares @ K[np.ix_(rows, rows)] @ shares
        assert energy == pytest.approx(verdict.witness.energy)
        assert energy < 0

    def test_as_printed_it_is_not_even_symmetric(self):
        K = load_dataset("kernel-6").to_numpy().copy()
        K[3, 1] = 0.7
        with pytest.raises(DataError, match="not symmetric"):
            SVC(kernel="precomputed").fit(K, [0, 1, 0, 1, 0, 1])
