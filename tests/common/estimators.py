"""Every estimator of the library, as the common checks see them. A new estimator is added here."""

from typing import Any

from sklearn.base import clone
from sklearn.utils import Tags

from branchline.baseline import MajorityClassifier, MeanRegressor
from branchline.bayes import NaiveBayes
from branchline.boosting import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ResidualBooster,
)
from branchline.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KernelKMeans,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    SelfOrganizingMap,
)
from branchline.density import BayesianNetwork, BayesianNetworkClassifier, Mixture
from branchline.encoding import TableEncoder
from branchline.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    BayesianAverageClassifier,
    BayesianAverageRegressor,
    StackingClassifier,
    StackingRegressor,
    ThresholdClassifier,
    VotingClassifier,
    VotingRegressor,
)
from branchline.features import (
    GeneticSelector,
    MarkovBlanketFilter,
    MinimumRedundancy,
    ModelSelector,
    RankSelector,
    RecursiveElimination,
    SelectedClassifier,
    SelectedRegressor,
    SequentialSelector,
    ShadowSelector,
)
from branchline.forest import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    ObliqueForestClassifier,
    ObliqueForestRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from branchline.kernels import RBF
from branchline.linear import (
    PLSDA,
    BasisExpansion,
    ElasticNet,
    ForwardStagewise,
    HashedLogisticRegression,
    Lasso,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PLSRegressor,
    QuadraticDiscriminantAnalysis,
    Ridge,
    SubsetSelection,
)
from branchline.neighbors import (
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    ParzenClassifier,
    ParzenRegressor,
)
from branchline.neural import AutoEncoder, MLPClassifier, MLPRegressor
from branchline.projection import ICA, MDS, PCA, KernelFisherDiscriminant, SparsePCA
from branchline.semi import LabelPropagation, LabelSpreading, SelfTraining
from branchline.stream import (
    AdaptiveForestClassifier,
    AdaptiveHoeffdingTreeClassifier,
    HoeffdingTreeClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
)
from branchline.svm import (
    S3VM,
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelPCA,
    KernelRidge,
    LinearSVC,
    LinearSVR,
    NearestCenter,
    NuSVC,
    NuSVR,
    OneClassSVM,
    SVCGrid,
    SVRGrid,
)
from branchline.tree import (
    C45,
    CART,
    ID3,
    M5,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    InductionGraphClassifier,
    InductionGraphRegressor,
    LinearTreeRegressor,
    ModelTreeClassifier,
    ModelTreeRegressor,
    OneRule,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    RuleListClassifier,
    SoftTreeClassifier,
    SoftTreeRegressor,
    Stump,
)

_GROWN = DecisionTreeClassifier(prune=None)
_GROWN_NUMBERS = DecisionTreeRegressor(prune=None)

# Learned from transitions, from sequences or with several targets, not from rows and one target:
# tests/unit/decide, tests/unit/sequence and tests/unit/outputs have checks of their own.
TRANSITIONS = {
    "ClassifierChain",
    "FittedQ",
    "GridLabeler",
    "MultiOutput",
    "MultiOutputForest",
    "MultiOutputTree",
    "OutputKernelForest",
    "OutputKernelRidge",
    "OutputKernelTree",
    "RegressorChain",
    "SequenceLabeler",
}

ESTIMATORS: dict[str, Any] = {
    "majority": MajorityClassifier(),
    "mean": MeanRegressor(),
    "tree": DecisionTreeClassifier(),
    "tree-costs": DecisionTreeClassifier(
        criterion="entropy", missing="own", prune="mdl", max_leaf_nodes=9, min_samples_leaf=2
    ),
    "tree-surrogate": DecisionTreeClassifier(missing="surrogate", prune="pessimistic"),
    "oblique_tree": DecisionTreeClassifier(tests="oblique"),
    "tree-learned": DecisionTreeClassifier(tests="learned", missing="own"),
    "tree-lookahead": DecisionTreeClassifier(lookahead=2, max_depth=3),
    "oblique-regression-tree": DecisionTreeRegressor(tests="oblique", n_test_columns=2),
    "regression-tree-learned": DecisionTreeRegressor(tests="learned"),
    "regression-tree-lookahead": DecisionTreeRegressor(lookahead=2, max_depth=3),
    "tree-reduced-error": DecisionTreeClassifier(missing="node_mode", prune="reduced_error"),
    "id3": ID3(),
    "c45": C45(),
    "cart": CART(),
    "one_rule": OneRule(),
    "stump": Stump(),
    "regression-tree": DecisionTreeRegressor(),
    "regression-tree-multiway": DecisionTreeRegressor(
        split="multiway", missing="fractional", prune="pessimistic", min_samples_leaf=2
    ),
    "regression-tree-surrogate": DecisionTreeRegressor(
        missing="surrogate", stop_by="squared_error"
    ),
    "regression-tree-mdl": DecisionTreeRegressor(missing="sample_mode", prune="mdl"),
    "regression-tree-medians": DecisionTreeRegressor(criterion="absolute_error"),
    "regression-tree-medians-shared": DecisionTreeRegressor(
        criterion="absolute_error", missing="fractional", prune="pessimistic"
    ),
    "regression-stump": Stump(task="regression"),
    "linear_tree": LinearTreeRegressor(),
    "m5": M5(),
    "model_tree": ModelTreeClassifier(max_depth=2, min_samples_leaf=10, n_folds=2),
    "model_tree-numbers": ModelTreeRegressor(max_depth=2, min_samples_leaf=10, n_folds=2),
    "induction_graph": InductionGraphClassifier(),
    "induction_graph-given": InductionGraphClassifier(
        test_penalty=0.02, level=0.2, zero_gain="split"
    ),
    "induction_graph-numbers": InductionGraphRegressor(max_depth=6, n_folds=3),
    "soft_tree": SoftTreeClassifier(n_folds=2),
    "soft_tree-given": SoftTreeClassifier(width=0.5, max_depth=3),
    "soft_tree-numbers": SoftTreeRegressor(n_folds=2, max_depth=6),
    "optimal_tree": OptimalTreeClassifier(max_depth=2, max_thresholds=8),
    "optimal-tree-three": OptimalTreeClassifier(
        leaf_penalty=0.01, min_samples_leaf=2, max_thresholds=3, class_weight="balanced"
    ),
    "optimal-tree-numbers": OptimalTreeRegressor(max_depth=2, max_thresholds=8),
    "rule_list": RuleListClassifier(max_rules=2, max_thresholds=8),
    "rule-list-pairs": RuleListClassifier(
        max_rules=2, rule_penalty=0.02, max_conditions=2, max_thresholds=2, class_weight="balanced"
    ),
    "naive_bayes": NaiveBayes(),
    "naive-bayes-gaussian": NaiveBayes(numeric="gaussian", alpha=1.0, priors="equal"),
    "naive-bayes-auto": NaiveBayes(numeric="auto", column_weight=0.5),
    "naive-bayes-binned": NaiveBayes(numeric="binned", variance_prior=0.0),
    "neighbors": NearestNeighborsClassifier(),
    "neighbors-tuned": NearestNeighborsClassifier(
        n_neighbors=4,
        weights="distance",
        distance="value_difference",
        metric="manhattan",
        scale="range",
        column_weights="tuned",
        smoothing=0.5,
    ),
    "neighbors-numbers": NearestNeighborsRegressor(),
    "neighbors-kernel": NearestNeighborsClassifier(metric=RBF(), n_neighbors=5),
    "neighbors-plain": NearestNeighborsRegressor(scale="none", column_weights=None, n_neighbors=3),
    "parzen": ParzenClassifier(kernel="epanechnikov"),
    "parzen-numbers": ParzenRegressor(),
    "parzen-kernel": ParzenRegressor(kernel=RBF(gamma=4.0)),  # the default is too wide
    "mlp": MLPClassifier(hidden_layer_sizes=(4,), tol=1e-3),
    "mlp-adam": MLPClassifier(
        hidden_layer_sizes=(4,),
        activation="relu",
        solver="adam",
        learning_rate=0.1,
        early_stopping=True,
        max_iter=200,
        tol=0.01,
        patience=3,
    ),
    "mlp-regressor": MLPRegressor(hidden_layer_sizes=(4,), alpha=3.0, tol=1e-3),
    "mlp-regressor-average": MLPRegressor(
        hidden_layer_sizes=(4, 3),
        activation="logistic",
        early_stopping=True,
        n_restarts=2,
        tol=1e-3,
        patience=3,
    ),
    "auto-encoder": AutoEncoder(n_components=2, tol=1e-2),
    "linear": LinearRegression(),
    "ridge": Ridge(),
    "ridge-rbf": Ridge(basis="rbf"),
    "lasso": Lasso(n_folds=3, n_alphas=30),
    "elastic_net": ElasticNet(alpha=0.1),
    "stagewise": ForwardStagewise(),
    "subset": SubsetSelection(),
    "subset-backward": SubsetSelection(method="backward", criterion="cv"),
    "pls": PLSRegressor(),
    "logistic": LogisticRegression(n_folds=2),
    "logistic-l1": LogisticRegression(penalty="l1", C=1.0, class_weight="balanced"),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "perceptron": Perceptron(max_epochs=30, patience=4),
    "pls-da": PLSDA(n_folds=3),
    "pls-da-largest": PLSDA(decision="largest", n_components=2),
    "hashed": HashedLogisticRegression(n_features=2**13, max_epochs=5),
    "hashed-bins": HashedLogisticRegression(numbers="bins", n_features=2**12, max_epochs=4),
    "basis": BasisExpansion(),
    "basis-rbf": BasisExpansion(kind="rbf"),
    "voting": VotingClassifier(estimators=(_GROWN, OneRule())),
    "voting-stacked": VotingClassifier(
        estimators=(_GROWN, "baseline"), weights="stacked", n_folds=2
    ),
    "voting-regressor": VotingRegressor(
        estimators=(_GROWN_NUMBERS, "baseline"), weights="accuracy", n_folds=3
    ),
    "stacking": StackingClassifier(
        estimators=(_GROWN, "one_rule"),
        final_estimator=DecisionTreeClassifier(max_depth=3),
        n_folds=2,
    ),
    "stacking-regressor": StackingRegressor(
        estimators=(_GROWN_NUMBERS, "baseline"),
        final_estimator=DecisionTreeRegressor(max_depth=3),
        n_folds=2,
    ),
    "bagging": BaggingClassifier(n_estimators=3),
    "bagging-regressor": BaggingRegressor(n_estimators=3),
    "bayesian_average": BayesianAverageClassifier(estimators=(_GROWN, OneRule()), n_folds=2),
    "bayesian-average-regressor": BayesianAverageRegressor(
        estimators=(_GROWN_NUMBERS, "baseline"), n_folds=2
    ),
    # Its probabilities are 0 and 1, so that a threshold and the larger probability agree, as
    # scikit-learn's checks suppose.
    "threshold": ThresholdClassifier(estimator=_GROWN, n_folds=3),
    "threshold-costs": ThresholdClassifier(
        estimator=_GROWN, costs=((0.0, 1.0), (1.0, 0.0)), n_folds=2
    ),
    "forest": RandomForestClassifier(n_estimators=7),
    "forest-costs": RandomForestClassifier(
        n_estimators=5,
        criterion="entropy",
        class_weight="balanced",
        max_leaf_nodes=12,
        max_samples=0.6,
        max_bins=16,
        correct_for_chance=True,
    ),
    "forest-regressor": RandomForestRegressor(n_estimators=7),
    "forest-regressor-exact": RandomForestRegressor(
        n_estimators=4, max_bins=None, bootstrap=False, max_samples=0.7, min_samples_leaf=2
    ),
    "oblique_forest": ObliqueForestClassifier(n_estimators=5),
    "oblique-forest-regressor": ObliqueForestRegressor(n_estimators=5, n_projections=6),
    "extra_trees": ExtraTreesClassifier(n_estimators=7),
    "extra-trees-threshold": ExtraTreesClassifier(
        n_estimators=5, score_threshold=0.3, bootstrap=True, max_features=None
    ),
    "extra-trees-regressor": ExtraTreesRegressor(n_estimators=7),
    "bagged_trees": BaggedTreesClassifier(n_estimators=5),
    "bagged-trees-regressor": BaggedTreesRegressor(n_estimators=5, max_depth=6),
    "gradient_boosting": GradientBoostingClassifier(n_estimators=6, min_samples_leaf=3),
    "gradient-boosting-symmetric": GradientBoostingClassifier(
        n_estimators=4, growth="symmetric", max_depth=3, subsample=0.7, class_weight="balanced"
    ),
    "gradient-boosting-regressor": GradientBoostingRegressor(
        n_estimators=8, learning_rate=0.5, min_samples_leaf=3
    ),
    "gradient-boosting-linear-leaves": GradientBoostingClassifier(
        n_estimators=6, min_samples_leaf=3, leaf_model="linear"
    ),
    "gradient-boosting-regressor-linear-leaves": GradientBoostingRegressor(
        n_estimators=8, learning_rate=0.5, min_samples_leaf=3, leaf_model="linear"
    ),
    "gradient-boosting-regressor-absolute": GradientBoostingRegressor(
        n_estimators=8,
        learning_rate=0.5,
        loss="absolute_error",
        growth="depth_wise",
        min_samples_leaf=2,
    ),
    "adaboost": AdaBoostClassifier(n_estimators=7),
    "adaboost-entropy": AdaBoostClassifier(
        n_estimators=5, max_depth=3, criterion="entropy", max_bins=16, learning_rate=0.5
    ),
    "adaboost-regressor": AdaBoostRegressor(n_estimators=7),
    "residual_booster": ResidualBooster(n_estimators=8, max_leaf_nodes=4),
    "residual-booster-judged": ResidualBooster(
        n_estimators=20, learning_rate=0.5, validation_fraction=0.25, patience=2
    ),
    "svc": SVC(),
    "nu-svc": NuSVC(0.15),
    "svr": SVR(),
    "nu-svr": NuSVR(nu=0.3),
    "one-class": OneClassSVM(0.2),
    "svc-grid": SVCGrid(C=(1.0, 10.0), gamma=(0.3, 1.0), n_folds=2),
    "svc-grid-kernels": SVCGrid((1.0, 10.0), (0.3,), kernel=("laplacian", "poly"), n_folds=2),
    "svr-grid": SVRGrid((1.0, 10.0), (0.3, 1.0), epsilon=(0.1,), n_folds=2),
    "kernel_ridge": KernelRidge(),
    "gaussian_process": GaussianProcessRegressor(),
    "gaussian-process-sparse": GaussianProcessRegressor("rbf", n_inducing=9, n_restarts=2),
    "kernel_logistic": KernelLogisticRegression(),
    "nearest_center": NearestCenter(),
    "kernel-pca": KernelPCA(),
    "kernel-fisher": KernelFisherDiscriminant(),
    "kernel-fisher-given": KernelFisherDiscriminant(5, alpha=0.3, kernel="laplacian"),
    "k-medoids": KMedoids(3),
    "k-medoids-given": KMedoids(2, metric="manhattan", init="build", standardize=True),
    "agglomerative": AgglomerativeClustering(3),
    "agglomerative-ward": AgglomerativeClustering(4, linkage="ward"),
    "agglomerative-height": AgglomerativeClustering(
        linkage="complete", metric="manhattan", height=4.0, standardize=True
    ),
    "divisive": DivisiveClustering(3),
    "map": SelfOrganizingMap(3, 4),
    "map-online": SelfOrganizingMap(2, 3, grid="square", algorithm="online", n_epochs=5),
    "pca": PCA(2),
    "sparse-pca": SparsePCA(2),
    "ica": ICA(2),
    "mds": MDS(2),
    "mds-ordinal": MDS(1, kind="ordinal", metric="manhattan", standardize=True, max_iter=50),
    "mds-classical": MDS(3, kind="classical", metric="gower"),
    "kmeans": KMeans(3),
    "kmeans-random": KMeans(4, init="random_assignment", n_init=2),
    "kernel-kmeans": KernelKMeans(3),
    "kernel-kmeans-poly": KernelKMeans(2, kernel="poly", degree=2, n_init=2),
    "mini-batch-kmeans": MiniBatchKMeans(3, batch_size=30),
    # scikit-learn's check of sparse tables wants as many probabilities as its y has classes: four.
    "mixture": Mixture(4, n_restarts=2, tol=1e-4),
    "mixture-diagonal": Mixture(4, covariance="diagonal", n_restarts=2),
    "bayesian-network": BayesianNetwork(),
    "bayesian-network-bdeu": BayesianNetwork(
        structure="hill_climbing", criterion="bdeu", n_restarts=2, n_bins=3
    ),
    "bayesian_network": BayesianNetworkClassifier(),
    "bayesian-network-classifier-searched": BayesianNetworkClassifier(structure="auto"),
    "hoeffding_tree": HoeffdingTreeClassifier(grace_period=20),
    "hoeffding-tree-gaussian": HoeffdingTreeClassifier(
        grace_period=15, numeric="gaussian", criterion="gini", leaf_prediction="naive_bayes"
    ),
    "adaptive_hoeffding_tree": AdaptiveHoeffdingTreeClassifier(grace_period=20),
    "adaptive_forest": AdaptiveForestClassifier(n_estimators=3, grace_period=20),
    "online_bagging": OnlineBaggingClassifier(n_estimators=3, grace_period=20),
    "online_boosting": OnlineBoostingClassifier(n_estimators=3, grace_period=20),
    "linear-svc": LinearSVC(),
    "linear-svr": LinearSVR(),
    "encoder": TableEncoder(),
    "encoder-range": TableEncoder(
        scale="range", min_frequency=3, max_categories=3, dates="parts", drop="most_frequent"
    ),
    "rank-selector": RankSelector(n_columns=1),
    "rank-selector-auto": RankSelector(by="relief", estimator="tree", n_folds=2),
    "minimum-redundancy": MinimumRedundancy(n_columns=1),
    "model-selector": ModelSelector(estimator="tree", n_columns=1),
    "recursive-elimination": RecursiveElimination(estimator="tree", n_columns=1),
    "sequential-selector": SequentialSelector(n_columns=1, n_folds=2),
    "genetic-selector": GeneticSelector(population=4, n_generations=2, n_folds=2),
    "markov-blanket": MarkovBlanketFilter(),
    "shadow-selector": ShadowSelector(max_rounds=5),
    "selected-classifier": SelectedClassifier(selector="mutual_information:90%", estimator="tree"),
    "selected-regressor": SelectedRegressor(selector="mutual_information:90%", estimator="tree"),
    "label_propagation": LabelPropagation(),
    "label_propagation-mass": LabelPropagation(3, class_mass="labels", metric="gower"),
    "label_spreading": LabelSpreading(),
    "self_training": SelfTraining(),
    "self_training-tree": SelfTraining("naive_bayes", safe=False),
    "s3vm": S3VM(),
}


# The common checks fit each estimator hundreds of times: what searches by itself searches less
# there. Saved models and the fuzz campaigns take the estimators as they are.
_LIGHTER: dict[str, dict[str, Any]] = {
    "oblique-regression-tree": {"prune": None},
    "regression-tree-lookahead": {"max_depth": 2},
    "induction_graph": {"n_folds": 2},
    "induction_graph-numbers": {"n_folds": 2, "max_depth": 3},
    "soft_tree-numbers": {"max_depth": 3},
    "mlp-adam": {"patience": 1},
    "gaussian-process-sparse": {"n_restarts": 1},
    "mixture": {"n_restarts": 1},
    "mixture-diagonal": {"n_restarts": 1},
    "sparse-pca": {"n_terms": 2},
    "hashed": {"max_epochs": 3},
    "rank-selector-auto": {"estimator": "stump"},
    "model-selector": {"estimator": "stump"},
    "recursive-elimination": {"estimator": "stump"},
    "selected-classifier": {"estimator": _GROWN},
    "selected-regressor": {"estimator": _GROWN_NUMBERS},
    "self_training": {"estimator": LogisticRegression(C=1.0), "max_rounds": 3},
}
CHECKED: dict[str, Any] = {
    name: clone(model).set_params(**_LIGHTER.get(name, {})) for name, model in ESTIMATORS.items()
}


class _NumbersOnly:
    """The same estimator without the categorical tag: scikit-learn then tests real numbers."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = False
        return tags


def _twin(kind: type) -> type:
    name = f"{kind.__name__}OfNumbers"
    # Pickle looks classes up in their module, so the twin must be found there.
    twin = type(name, (_NumbersOnly, kind), {"__module__": __name__, "__init__": kind.__init__})
    globals()[name] = twin
    return twin


_TWINS = {kind: _twin(kind) for kind in {type(model) for model in ESTIMATORS.values()}}


def numbers_only(model: Any) -> Any:
    """Return a copy of ``model`` whose tags do not mention categories."""
    return _TWINS[type(model)](**model.get_params(deep=False))
