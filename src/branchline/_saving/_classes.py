"""Which classes a model file may name, and how one is made from a file's parameters.

1. Only the estimators of ``CLASSES``: a file can never name code to run.
2. The parameters must be the class's own, plain values, and allowed by its constraints.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from branchline._base import Estimator
from branchline._renamed import new_class, translated
from branchline._saving._container import damaged
from branchline._saving._values import from_json
from branchline._validation import AnyOf, Constraint, OneOf, Whole, check_parameters
from branchline.errors import ModelFileError, ParameterError, Repair

__all__ = ["CLASSES", "name_of", "unfitted"]

CLASSES = {
    "AdaBoostClassifier": "branchline.boosting",
    "AdaBoostRegressor": "branchline.boosting",
    "AdaptiveForestClassifier": "branchline.stream",
    "AdaptiveHoeffdingTreeClassifier": "branchline.stream",
    "HoeffdingTreeClassifier": "branchline.stream",
    "OnlineBaggingClassifier": "branchline.stream",
    "OnlineBoostingClassifier": "branchline.stream",
    "AutoEncoder": "branchline.neural",
    "BaggedTreesClassifier": "branchline.forest",
    "BaggedTreesRegressor": "branchline.forest",
    "BaggingClassifier": "branchline.ensemble",
    "BaggingRegressor": "branchline.ensemble",
    "BasisExpansion": "branchline.linear",
    "BayesianAverageClassifier": "branchline.ensemble",
    "BayesianAverageRegressor": "branchline.ensemble",
    "DecisionTreeClassifier": "branchline.tree",
    "DecisionTreeRegressor": "branchline.tree",
    "ClassifierChain": "branchline.outputs",
    "ElasticNet": "branchline.linear",
    "ExtraTreesClassifier": "branchline.forest",
    "ExtraTreesRegressor": "branchline.forest",
    "FittedQ": "branchline.decide",
    "ForwardStagewise": "branchline.linear",
    "GaussianProcessRegressor": "branchline.svm",
    "GeneticSelector": "branchline.features",
    "GradientBoostingClassifier": "branchline.boosting",
    "GradientBoostingRegressor": "branchline.boosting",
    "GridLabeler": "branchline.sequence",
    "HashedLogisticRegression": "branchline.linear",
    "ICA": "branchline.projection",
    "KernelLogisticRegression": "branchline.svm",
    "KMeans": "branchline.cluster",
    "KernelFisherDiscriminant": "branchline.svm",
    "KernelPCA": "branchline.svm",
    "AgglomerativeClustering": "branchline.cluster",
    "DivisiveClustering": "branchline.cluster",
    "KMedoids": "branchline.cluster",
    "KernelKMeans": "branchline.cluster",
    "MiniBatchKMeans": "branchline.cluster",
    "SelfOrganizingMap": "branchline.cluster",
    "MDS": "branchline.projection",
    "PCA": "branchline.projection",
    "SparsePCA": "branchline.projection",
    "Mixture": "branchline.density",
    "BayesianNetwork": "branchline.density",
    "BayesianNetworkClassifier": "branchline.density",
    "KernelRidge": "branchline.svm",
    "LabelPropagation": "branchline.semi",
    "LabelSpreading": "branchline.semi",
    "S3VM": "branchline.svm",
    "SelfTraining": "branchline.semi",
    "Lasso": "branchline.linear",
    "LinearDiscriminantAnalysis": "branchline.linear",
    "LinearRegression": "branchline.linear",
    "LinearSVC": "branchline.svm",
    "LinearSVR": "branchline.svm",
    "LinearTreeRegressor": "branchline.tree",
    "LogisticRegression": "branchline.linear",
    "MLPClassifier": "branchline.neural",
    "MLPRegressor": "branchline.neural",
    "MajorityClassifier": "branchline.baseline",
    "MultiOutput": "branchline.outputs",
    "MultiOutputForest": "branchline.outputs",
    "MultiOutputTree": "branchline.outputs",
    "MarkovBlanketFilter": "branchline.features",
    "MeanRegressor": "branchline.baseline",
    "MinimumRedundancy": "branchline.features",
    "ModelSelector": "branchline.features",
    "ModelTreeClassifier": "branchline.tree",
    "ModelTreeRegressor": "branchline.tree",
    "NaiveBayes": "branchline.bayes",
    "NearestCenter": "branchline.svm",
    "NearestNeighborsClassifier": "branchline.neighbors",
    "NearestNeighborsRegressor": "branchline.neighbors",
    "NuSVC": "branchline.svm",
    "NuSVR": "branchline.svm",
    "ObliqueForestClassifier": "branchline.forest",
    "ObliqueForestRegressor": "branchline.forest",
    "OneClassSVM": "branchline.svm",
    "OptimalTreeClassifier": "branchline.tree",
    "OptimalTreeRegressor": "branchline.tree",
    "PLSDA": "branchline.linear",
    "PLSRegressor": "branchline.linear",
    "ParzenClassifier": "branchline.neighbors",
    "ParzenRegressor": "branchline.neighbors",
    "Perceptron": "branchline.linear",
    "OutputKernelForest": "branchline.outputs",
    "OutputKernelRidge": "branchline.outputs",
    "OutputKernelTree": "branchline.outputs",
    "QuadraticDiscriminantAnalysis": "branchline.linear",
    "RandomForestClassifier": "branchline.forest",
    "RandomForestRegressor": "branchline.forest",
    "RankSelector": "branchline.features",
    "RecursiveElimination": "branchline.features",
    "RegressorChain": "branchline.outputs",
    "ResidualBooster": "branchline.boosting",
    "Ridge": "branchline.linear",
    "RuleListClassifier": "branchline.tree",
    "SVC": "branchline.svm",
    "SVCGrid": "branchline.svm",
    "SVR": "branchline.svm",
    "SVRGrid": "branchline.svm",
    "SelectedClassifier": "branchline.features",
    "SelectedRegressor": "branchline.features",
    "SequenceLabeler": "branchline.sequence",
    "SequentialSelector": "branchline.features",
    "ShadowSelector": "branchline.features",
    "InductionGraphClassifier": "branchline.tree",
    "InductionGraphRegressor": "branchline.tree",
    "SoftTreeClassifier": "branchline.tree",
    "SoftTreeRegressor": "branchline.tree",
    "StackingClassifier": "branchline.ensemble",
    "StackingRegressor": "branchline.ensemble",
    "SubsetSelection": "branchline.linear",
    "TableEncoder": "branchline.encoding",
    "ThresholdClassifier": "branchline.ensemble",
    "VotingClassifier": "branchline.ensemble",
    "VotingRegressor": "branchline.ensemble",
}

_MOST_THREADS = 2**15
# What parameters that many estimators share may be, where a class does not say it itself.
_COMMON: dict[str, Constraint] = {
    "n_jobs": AnyOf((OneOf((None,)), Whole(1, _MOST_THREADS), Whole(-_MOST_THREADS, -1))),
}


def name_of(model: Estimator) -> str:
    """Return the name under which a model's class is on the list."""
    name = type(model).__name__
    if name not in CLASSES or _class_of(name) is not type(model):
        raise ModelFileError(
            f"{name} is not one of Branchline's own estimators, so it has no model file.",
            code="M006",
            repair=Repair("import joblib\njoblib.dump(model, 'model.joblib')"),
        )
    return name


def unfitted(name: str, parameters: Mapping[str, Any], depth: int = 0) -> Estimator:
    """Return an unfitted estimator with the parameters of a file, ``depth`` levels deep in it."""
    name = new_class(name)
    if name not in CLASSES:
        raise damaged(f"{name[:60]!r} is not an estimator of Branchline")
    kind = _class_of(name)
    parameters = {**getattr(kind, "_added_parameters", {}), **parameters}
    known = set(kind().get_params(deep=False))
    values = {
        key: from_json(key, value, unfitted, depth=depth) for key, value in parameters.items()
    }
    parameters = translated(values, known)
    if set(parameters) != known:
        raise damaged(f"its parameters are not those of {name}")
    common = {key: rule for key, rule in _COMMON.items() if key in parameters}
    try:
        check_parameters(name, parameters, {**common, **kind._constraints})
    except ParameterError as error:
        raise damaged(f"a parameter is not allowed ({error.message.rstrip('.')})") from error
    model: Estimator = kind(**parameters)
    return model


def _class_of(name: str) -> Any:
    return getattr(import_module(CLASSES[name]), name)
