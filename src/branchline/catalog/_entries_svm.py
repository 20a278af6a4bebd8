"""Learners on margins and kernels."""

from collections.abc import Mapping

from branchline.catalog._entry import Entry, Plusses, Reference, Size
from branchline.catalog._spaces import Between, Space

__all__ = ["SVMS"]

_HANDLES = frozenset({"categories", "weights", "probabilities"})
_PLUSSES = Plusses(accuracy=3, efficiency=1, interpretability=1, ease=1)
_CORTES = Reference(
    "Cortes, C. and Vapnik, V.", "Support-vector networks. Machine Learning 20", 1995
)

_STRENGTH = Between(0.01, 1000.0, log=True)
_WIDTH = Between(0.001, 3.0, log=True)
_MARGIN: Mapping[Size, Space] = {
    "small": ({"C": [0.3, 1.0, 10.0, 100.0]},),
    "medium": (
        {"C": [0.1, 1.0, 10.0, 100.0]},
        {"C": [0.1, 1.0, 10.0], "kernel": ["laplacian", "linear"]},
    ),
    "large": (
        {"C": _STRENGTH, "gamma": _WIDTH, "kernel": ["rbf", "laplacian"]},
        {"C": _STRENGTH},
    ),
}
_SHARE: Mapping[Size, Space] = {
    "small": ({"nu": [0.1, 0.3, 0.5]},),
    "medium": ({"nu": [0.05, 0.1, 0.2, 0.3, 0.5]},),
    "large": ({"nu": Between(0.01, 0.7, log=True), "gamma": _WIDTH}, {"nu": [0.5]}),
}
_LINEAR: Mapping[Size, Space] = {
    "small": ({"C": [0.01, 0.1, 1.0, 10.0]},),
    "medium": ({"C": [0.001, 0.01, 0.1, 1.0, 10.0], "loss": ["squared_hinge", "hinge"]},),
    "large": ({"C": Between(1e-4, 100.0, log=True), "loss": ["squared_hinge", "hinge"]},),
}
_LINEAR_NUMBERS: Mapping[Size, Space] = {
    "small": ({"C": ["auto", 0.01, 0.1, 1.0]},),
    "medium": ({"C": ["auto", 0.01, 0.1, 1.0, 10.0]},),
    "large": ({"C": Between(1e-4, 100.0, log=True)}, {"C": ["auto"]}),
}
_RIDGE: Mapping[Size, Space] = {
    "small": ({"alpha": ["auto", 0.1, 1.0, 10.0]},),
    "medium": ({"alpha": ["auto", 1.0], "kernel": ["rbf", "laplacian", "linear"]},),
    "large": (
        {"alpha": Between(1e-3, 100.0, log=True), "gamma": _WIDTH},
        {"alpha": [1.0], "kernel": ["rbf", "laplacian"]},
    ),
}
_PROCESS: Mapping[Size, Space] = {
    "small": ({"kernel": ["auto", "rbf"]},),
    "medium": ({"kernel": ["auto", "rbf", "laplacian"]},),
    "large": ({"kernel": ["auto", "ard", "rbf", "laplacian"], "n_restarts": [1, 3]},),
}
_LOGISTIC: Mapping[Size, Space] = {
    "small": ({"C": [1.0, 10.0, 100.0]},),
    "medium": ({"C": [0.1, 1.0, 10.0, 100.0], "kernel": ["rbf", "laplacian"]},),
    "large": ({"C": _STRENGTH, "gamma": _WIDTH}, {"C": [10.0]}),
}
_CENTRE: Mapping[Size, Space] = {
    "small": ({"kernel": ["rbf", "linear"]},),
    "medium": ({"kernel": ["rbf", "laplacian", "linear"]},),
    "large": ({"gamma": _WIDTH}, {"kernel": ["rbf", "laplacian", "linear"]}),
}
_GRID: Mapping[Size, Space] = {
    "small": ({"n_folds": [3, 5]},),
    "medium": ({"n_folds": [3, 5, 10]},),
    "large": ({"n_folds": [3, 5, 10], "strategy": ["one_vs_one", "one_vs_rest"]},),
}
_NUMBER_GRID: Mapping[Size, Space] = {
    "small": ({"n_folds": [3, 5]},),
    "medium": ({"n_folds": [3, 5, 10]},),
    "large": ({"n_folds": [3, 5, 10], "metric": ["rmse", "mae"]},),
}

SVMS = (
    Entry(
        name="svm",
        title="support vector machine",
        family="svm",
        classes={
            "classification": "branchline.svm.SVC",
            "regression": "branchline.svm.SVR",
        },
        handles=_HANDLES,
        description=(
            "Separates classes by the widest street that the kernel allows, or follows numbers "
            "within a tube; only the rows at its edge, the support vectors, decide. Accurate on "
            "small and medium tables, with a certificate of how exact the fit is; its time grows "
            "with the square of the rows, and the model cannot be read."
        ),
        reference=_CORTES,
        spaces={"classification": _MARGIN, "regression": _MARGIN},
        aliases=("svc", "svr", "smo", "c_svm", "ksvm"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="svm_grid",
        title="support vector machine with C and gamma chosen",
        family="svm",
        classes={
            "classification": "branchline.svm.SVCGrid",
            "regression": "branchline.svm.SVRGrid",
        },
        handles=_HANDLES,
        description=(
            "A support vector machine whose C and gamma (and epsilon) are chosen by "
            "cross-validation on one matrix of distances, with every fit starting from the last: "
            "a whole grid costs little more than a few fits. The machine to take when nothing is "
            "known of C and gamma."
        ),
        reference=Reference(
            "Steinwart, I. and Thomann, P.",
            "liquidSVM: a fast and versatile SVM package. arXiv 1702.06899",
            2017,
        ),
        spaces={"classification": _GRID, "regression": _NUMBER_GRID},
        aliases=("svc_grid", "svr_grid", "tuned_svm"),
        plusses=_PLUSSES,
    ),
    Entry(
        name="nu_svm",
        title="ν-support vector machine",
        family="svm",
        classes={"regression": "branchline.svm.NuSVR"},
        handles=frozenset({"categories", "weights"}),
        description=(
            "A support vector machine told which share of the rows may lie outside its tube, "
            "instead of what that costs; it finds the width of the tube by itself."
        ),
        reference=Reference(
            "Schölkopf, B., Smola, A. J., Williamson, R. C. and Bartlett, P. L.",
            "New support vector algorithms. Neural Computation 12, 1207–1245",
            2000,
        ),
        spaces={"regression": _SHARE},
        aliases=("nu_svr",),
        plusses=_PLUSSES,
    ),
    Entry(
        name="linear_svm",
        title="linear support vector machine",
        family="svm",
        classes={
            "classification": "branchline.svm.LinearSVC",
            "regression": "branchline.svm.LinearSVR",
        },
        handles=frozenset({"sparse", "weights", "probabilities", "several_outputs"}),
        description=(
            "The widest street without a kernel: a weight for each term, as readable as logistic "
            "regression and fast on many rows and columns. Rows far on the right side do not "
            "matter at all; boundaries that bend are out of its reach."
        ),
        reference=_CORTES,
        spaces={"classification": _LINEAR, "regression": _LINEAR_NUMBERS},
        aliases=("linear_svc", "linear_svr", "liblinear"),
    ),
    Entry(
        name="kernel_ridge",
        title="kernel ridge regression",
        family="svm",
        classes={"regression": "branchline.svm.KernelRidge"},
        handles=frozenset({"categories", "weights", "several_outputs"}),
        description=(
            "Least squares in the space of a kernel, with a bias: one set of equations, exact "
            "leave-one-out errors for nothing. As accurate as support vector regression on small "
            "tables, but every row is kept, and the equations grow with the cube of the rows."
        ),
        reference=Reference(
            "Saunders, C., Gammerman, A. and Vovk, V.",
            "Ridge regression learning algorithm in dual variables. ICML, 515–521",
            1998,
        ),
        spaces={"regression": _RIDGE},
        aliases=("krr", "ls_svm", "least_squares_svm"),
    ),
    Entry(
        name="gaussian_process",
        title="Gaussian process",
        family="svm",
        classes={"regression": "branchline.svm.GaussianProcessRegressor"},
        handles=frozenset({"categories", "weights"}),
        description=(
            "Smooth curves with an honest width: kernel ridge regression that learns its kernel's "
            "parameters, how much each column matters, and the noise. Hard to beat on small tables "
            "of numbers; slow beyond a few thousand rows, where few rows stand for all."
        ),
        reference=Reference(
            "Rasmussen, C. E. and Williams, C. K. I.",
            "Gaussian Processes for Machine Learning. MIT Press",
            2006,
        ),
        spaces={"regression": _PROCESS},
        aliases=("gp", "kriging"),
    ),
    Entry(
        name="kernel_logistic",
        title="kernel logistic regression",
        family="svm",
        classes={"classification": "branchline.svm.KernelLogisticRegression"},
        handles=_HANDLES,
        description=(
            "Logistic regression in the space of a kernel: boundaries that bend, and probabilities "
            "that are the model's own. Much like a support vector machine, but every row is kept."
        ),
        reference=Reference(
            "Zhu, J. and Hastie, T.",
            "Kernel logistic regression and the import vector machine. JCGS 14, 185–205",
            2005,
        ),
        spaces={"classification": _LOGISTIC},
        aliases=("klr",),
    ),
    Entry(
        name="nearest_center",
        title="nearest center in kernel space",
        family="svm",
        classes={"classification": "branchline.svm.NearestCenter"},
        handles=_HANDLES,
        description=(
            "Predicts the class whose mean is nearest, in the space of a kernel. Nothing is "
            "optimized: a baseline that any other learner on kernels should beat."
        ),
        reference=Reference(
            "Schölkopf, B. and Smola, A. J.", "Learning with Kernels, section 1.2. MIT Press", 2002
        ),
        spaces={"classification": _CENTRE},
        aliases=("nearest_center", "nearest_mean", "nearest_centroid"),
    ),
)
