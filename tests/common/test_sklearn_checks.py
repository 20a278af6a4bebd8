"""scikit-learn's own checks, on every estimator, with the categorical tag on and off.

No failure is expected and none is skipped silently: the number that passed is part of the test.
"""

from collections import Counter

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from common.estimators import CHECKED, numbers_only

# How many checks scikit-learn 1.9 runs on estimators of ours: more where there are weights, class
# weights or several outputs; fewer for transformers.
PASSED = {
    "AutoEncoder": 46,
    "BaggedTreesClassifier": 63,
    "BaggedTreesRegressor": 60,
    "AdaBoostClassifier": 62,
    "AdaBoostRegressor": 59,
    "BaggingClassifier": 62,
    "BaggingRegressor": 59,
    "BasisExpansion": 54,
    "BayesianAverageClassifier": 62,
    "BayesianAverageRegressor": 59,
    "DecisionTreeClassifier": 63,
    "DecisionTreeRegressor": 60,
    "LinearTreeRegressor": 59,
    "ModelTreeClassifier": 62,
    "ModelTreeRegressor": 59,
    "InductionGraphClassifier": 62,
    "InductionGraphRegressor": 59,
    "SoftTreeClassifier": 62,
    "SoftTreeRegressor": 59,
    "OptimalTreeClassifier": 63,
    "OptimalTreeRegressor": 59,
    "ElasticNet": 59,
    "ExtraTreesClassifier": 63,
    "ExtraTreesRegressor": 60,
    "ForwardStagewise": 59,
    "GradientBoostingClassifier": 63,
    "GradientBoostingRegressor": 59,
    "HashedLogisticRegression": 54,
    "AdaptiveForestClassifier": 54,
    "AdaptiveHoeffdingTreeClassifier": 54,
    "HoeffdingTreeClassifier": 54,
    "OnlineBaggingClassifier": 54,
    "OnlineBoostingClassifier": 54,
    "Lasso": 59,
    "LinearDiscriminantAnalysis": 62,
    "LinearRegression": 60,
    "LogisticRegression": 63,
    "MLPClassifier": 54,
    "MLPRegressor": 51,
    "BayesianNetwork": 48,
    "BayesianNetworkClassifier": 62,
    "MajorityClassifier": 62,
    "MeanRegressor": 59,
    "Mixture": 53,
    "NaiveBayes": 62,
    "NearestNeighborsClassifier": 54,
    "NearestNeighborsRegressor": 51,
    "PLSDA": 54,
    "PLSRegressor": 52,
    "ParzenClassifier": 54,
    "ParzenRegressor": 51,
    "Perceptron": 62,
    "QuadraticDiscriminantAnalysis": 62,
    "ObliqueForestClassifier": 63,
    "ObliqueForestRegressor": 60,
    "RandomForestClassifier": 63,
    "RandomForestRegressor": 60,
    "ResidualBooster": 59,
    "Ridge": 60,
    "RuleListClassifier": 63,
    "StackingClassifier": 62,
    "StackingRegressor": 59,
    "SubsetSelection": 59,
    "KernelLogisticRegression": 63,
    "KernelFisherDiscriminant": 68,
    "KernelPCA": 45,
    "KMeans": 58,
    "KMedoids": 53,
    "KernelKMeans": 58,
    "MiniBatchKMeans": 58,
    "SelfOrganizingMap": 54,
    "AgglomerativeClustering": 53,
    "DivisiveClustering": 53,
    "PCA": 54,
    "ICA": 54,
    "MDS": 54,
    "SparsePCA": 54,
    "KernelPCA of numbers only": 46,
    "KernelRidge": 60,
    "GaussianProcessRegressor": 59,
    "LinearSVC": 63,
    "NearestCenter": 62,
    "LinearSVR": 60,
    "NuSVC": 62,
    "NuSVR": 59,
    "OneClassSVM": 53,
    "LabelPropagation": 62,
    "LabelSpreading": 62,
    "S3VM": 62,
    "SelfTraining": 62,
    "SVC": 63,
    "SVCGrid": 63,
    "SVR": 59,
    "SVRGrid": 59,
    "TableEncoder": 54,
    "ThresholdClassifier": 63,
    "VotingClassifier": 62,
    "GeneticSelector": 55,
    "MarkovBlanketFilter": 55,
    "MinimumRedundancy": 55,
    "ModelSelector": 55,
    "RankSelector": 55,
    "RecursiveElimination": 55,
    "SelectedClassifier": 62,
    "SelectedRegressor": 59,
    "SequentialSelector": 55,
    "ShadowSelector": 55,
    "VotingRegressor": 59,
}


def _cases() -> list[tuple[str, str]]:
    """Return every estimator with its own tags, and the first of each class as one of numbers."""
    first = {type(model): name for name, model in reversed(CHECKED.items())}
    tagged = [(name, "categorical") for name in CHECKED]
    return tagged + [(name, "numbers only") for name in first.values()]


@pytest.mark.filterwarnings("ignore::branchline.errors.BranchlineWarning")
@pytest.mark.parametrize(("name", "tag"), _cases())
def test_all_checks_pass_and_none_is_lost(name: str, tag: str) -> None:
    model = clone(CHECKED[name]) if tag == "categorical" else numbers_only(CHECKED[name])
    results = check_estimator(model, on_skip=None, on_fail=None)
    statuses = Counter(result["status"] for result in results)
    kind = type(CHECKED[name]).__name__
    n_checks = PASSED.get(f"{kind} of {tag}", PASSED[kind])
    assert statuses == {"passed": n_checks}, [
        (result["check_name"], str(result["exception"]))
        for result in results
        if result["status"] != "passed"
    ]
