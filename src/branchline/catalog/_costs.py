"""What a fit costs: written by ``benchmarks/calibrate_costs.py``, which says how."""

from collections.abc import Mapping

from branchline.catalog._entry import Cost, Task

__all__ = ["COSTS"]

COSTS: dict[str, Mapping[Task, Cost]] = {
    "baseline": {
        "classification": Cost(0.000383, 2.25e-08, 1.05, 0.34, 0.21),
        "regression": Cost(0.00013, 8.16e-09, 0.84, 0.97, 0.0),
    },
    "tree": {
        "classification": Cost(0.0062, 2.75e-06, 0.98, 0.8, 0.69),
        "regression": Cost(0.00492, 1.32e-05, 1.05, 0.7, 0.0),
    },
    "id3": {
        "classification": Cost(0.000986, 2.32e-07, 1.04, 0.76, 0.47),
    },
    "c45": {
        "classification": Cost(0.00161, 3.24e-08, 1.18, 1.03, 0.89),
    },
    "cart": {
        "classification": Cost(0.00429, 2.13e-06, 0.98, 0.77, 0.97),
        "regression": Cost(0.00472, 8.47e-06, 1.06, 0.81, 0.0),
    },
    "oblique_tree": {
        "classification": Cost(0.00668, 3.69e-05, 1.06, 0.2, 0.62),
        "regression": Cost(0.00734, 5.17e-05, 1.08, 0.36, 0.0),
    },
    "one_rule": {
        "classification": Cost(0.000542, 3e-07, 0.81, 0.9, 0.39),
    },
    "stump": {
        "classification": Cost(0.00111, 8.86e-08, 0.96, 0.99, 0.0),
        "regression": Cost(0.000825, 5.91e-07, 0.8, 0.9, 0.0),
    },
    "optimal_tree": {
        "classification": Cost(0.0105, 0.0046, 0.41, 0.86, 0.75),
        "regression": Cost(0.0188, 0.0624, 0.23, 0.91, 0.0),
    },
    "rule_list": {
        "classification": Cost(0.0124, 0.00416, 0.48, 1.1, 0.81),
    },
    "linear_tree": {
        "regression": Cost(0.00185, 8.12e-06, 0.86, 0.93, 0.0),
    },
    "m5": {
        "regression": Cost(0.0033, 2.12e-05, 1.01, 0.41, 0.0),
    },
    "model_tree": {
        "classification": Cost(0.00267, 0.00394, 0.31, 0.96, 0.08),
        "regression": Cost(0.00226, 0.0122, 0.27, 0.49, 0.0),
    },
    "induction_graph": {
        "classification": Cost(0.0223, 2.43e-06, 1.74, 0.0, 0.97),
        "regression": Cost(0.158, 5.7e-07, 2.46, 0.0, 0.0),
    },
    "soft_tree": {
        "classification": Cost(0.0243, 5.48e-05, 1.05, 0.37, 0.52),
        "regression": Cost(0.0341, 0.000134, 1.01, 0.55, 0.0),
    },
    "naive_bayes": {
        "classification": Cost(0.00329, 4.95e-07, 0.69, 1.36, 0.67),
    },
    "nearest_neighbors": {
        "classification": Cost(0.0231, 6.25e-05, 0.91, 0.5, 0.08),
        "regression": Cost(0.0166, 4.98e-05, 0.89, 0.57, 0.0),
    },
    "parzen": {
        "classification": Cost(0.0264, 2.09e-06, 1.47, 0.45, 0.37),
        "regression": Cost(0.0134, 1.31e-05, 1.26, 0.39, 0.0),
    },
    "linear_regression": {
        "regression": Cost(0.00239, 4.97e-07, 0.86, 1.26, 0.0),
    },
    "ridge": {
        "regression": Cost(0.00162, 5.47e-07, 0.85, 1.25, 0.0),
    },
    "lasso": {
        "regression": Cost(0.0241, 2.49e-05, 0.56, 1.02, 0.0),
    },
    "elastic_net": {
        "regression": Cost(0.273, 0.000164, 0.53, 0.7, 0.0),
    },
    "stagewise": {
        "regression": Cost(0.00942, 4.55e-06, 0.72, 1.15, 0.0),
    },
    "subset": {
        "regression": Cost(0.00251, 1.13e-06, 0.7, 1.48, 0.0),
    },
    "pls": {
        "classification": Cost(0.026, 2.1e-05, 0.79, 0.73, 0.88),
        "regression": Cost(0.0143, 2.54e-06, 1.03, 0.96, 0.0),
    },
    "logistic": {
        "classification": Cost(0.0675, 6.54e-06, 0.78, 0.79, 1.89),
    },
    "lda": {
        "classification": Cost(0.00257, 1.33e-06, 0.81, 1.08, 0.1),
    },
    "qda": {
        "classification": Cost(0.00247, 2.18e-06, 0.72, 1.15, 0.27),
    },
    "perceptron": {
        "classification": Cost(0.0144, 1.86e-06, 0.7, 1.14, 1.43),
    },
    "hashed_logistic": {
        "classification": Cost(0.0459, 0.000191, 0.46, 0.79, 1.21),
    },
    "mlp": {
        "classification": Cost(0.0104, 2.56e-06, 1.17, 0.71, 0.6),
        "regression": Cost(0.0179, 0.000237, 0.81, 0.67, 0.0),
    },
    "svm": {
        "classification": Cost(0.00574, 5.21e-07, 1.25, 0.61, 0.99),
        "regression": Cost(0.00229, 8.67e-07, 1.34, 0.52, 0.0),
    },
    "svm_grid": {
        "classification": Cost(0.0195, 4.07e-06, 1.58, 0.03, 1.05),
        "regression": Cost(0.1, 2.4e-06, 2.15, 0.03, 0.0),
    },
    "nu_svm": {
        "regression": Cost(0.00214, 2.79e-07, 1.46, 0.53, 0.0),
    },
    "linear_svm": {
        "classification": Cost(0.002, 7.43e-07, 0.86, 1.0, 1.01),
        "regression": Cost(0.00189, 5.05e-07, 1.01, 1.23, 0.0),
    },
    "kernel_ridge": {
        "regression": Cost(0.00268, 1.01e-10, 2.91, 0.68, 0.0),
    },
    "gaussian_process": {
        "regression": Cost(0.00626, 2.6e-05, 1.5, 0.02, 0.0),
    },
    "kernel_logistic": {
        "classification": Cost(0.00417, 3.34e-10, 2.82, 0.33, 0.5),
    },
    "nearest_center": {
        "classification": Cost(0.00518, 1.63e-06, 1.21, 0.45, 0.2),
    },
    "random_forest": {
        "classification": Cost(0.00879, 9.37e-06, 1.0, 0.37, 0.86),
        "regression": Cost(0.00984, 1.45e-05, 1.03, 0.83, 0.0),
    },
    "extra_trees": {
        "classification": Cost(0.00298, 1.16e-05, 1.06, 0.4, 0.47),
        "regression": Cost(0.00514, 1.56e-05, 1.06, 0.67, 0.0),
    },
    "oblique_forest": {
        "classification": Cost(0.00939, 3.04e-06, 0.97, 1.17, 0.72),
        "regression": Cost(0.0113, 8.74e-06, 1.01, 1.27, 0.0),
    },
    "bagged_trees": {
        "classification": Cost(0.00909, 7.07e-06, 0.97, 0.83, 0.97),
        "regression": Cost(0.0127, 3.84e-05, 1.01, 0.84, 0.0),
    },
    "gradient_boosting": {
        "classification": Cost(0.00529, 1.29e-05, 0.8, 0.72, 1.62),
        "regression": Cost(0.00618, 3.99e-05, 0.78, 0.75, 0.0),
    },
    "adaboost": {
        "classification": Cost(0.0157, 5.39e-05, 0.77, 0.4, 0.0),
        "regression": Cost(0.0145, 0.000122, 0.72, 0.71, 0.0),
    },
    "residual_booster": {
        "regression": Cost(0.0274, 3.96e-06, 0.94, 0.84, 0.0),
    },
    "voting": {
        "classification": Cost(0.0861, 1.7e-05, 0.79, 0.77, 1.67),
        "regression": Cost(0.0166, 2.65e-05, 0.97, 0.79, 0.0),
    },
    "stacking": {
        "classification": Cost(1.28, 2.1e-05, 0.93, 0.75, 1.68),
        "regression": Cost(0.0802, 0.000107, 1.01, 0.74, 0.0),
    },
    "bagging": {
        "classification": Cost(0.0573, 2.32e-05, 0.89, 0.74, 0.49),
        "regression": Cost(0.0503, 2.72e-05, 0.96, 0.84, 0.0),
    },
    "bayesian_average": {
        "classification": Cost(0.646, 3.92e-05, 0.88, 0.8, 1.62),
        "regression": Cost(0.0452, 0.00011, 0.94, 0.87, 0.0),
    },
    "threshold": {
        "classification": Cost(0.405, 3.92e-05, 0.78, 0.79, 1.89),
    },
    "self_training": {
        "classification": Cost(0.00553, 6.85e-05, 0.55, 0.66, 0.72),
    },
    "s3vm": {
        "classification": Cost(0.00135, 4.1e-08, 1.82, 0.36, 0.9),
    },
    "label_propagation": {
        "classification": Cost(0.00163, 6.2e-08, 1.53, 0.4, 0.05),
    },
    "label_spreading": {
        "classification": Cost(0.00163, 6.2e-08, 1.53, 0.4, 0.05),
    },
}
