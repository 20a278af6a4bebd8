"""Whatever draws itself as one chart also draws itself on axes of matplotlib."""

import importlib
import inspect
import pkgutil
from typing import Any

import numpy as np
import pytest

import branchline
from branchline import load_dataset
from branchline.charts import Chart
from branchline.cluster import KMeans, bicluster, cluster_columns, silhouette
from branchline.features import rank_columns

# What has a picture of its own (trees, diagrams) or several charts has no axes to be drawn on.
_OTHER_PICTURES = ("Drawing", "Picture", "Panels", "Diagram")


def _classes() -> list[type]:
    found = set()
    for module in pkgutil.walk_packages(branchline.__path__, "branchline."):
        if ".cli" in module.name or module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        found |= {one for one in vars(loaded).values() if inspect.isclass(one)}
    return sorted((one for one in found if one.__module__.startswith("branchline.")), key=str)


def test_every_chart_of_a_result_takes_axes() -> None:
    seen = 0
    for one in _classes():
        draw = one.__dict__.get("draw")
        if not inspect.isfunction(draw) or one.__name__.startswith("_"):
            continue
        told = inspect.signature(draw)
        made = str(told.return_annotation).rpartition(".")[2].strip("'\"")
        if made in _OTHER_PICTURES:
            continue
        if made == "Chart":
            pytest.fail(f"{one.__name__}.draw gives a chart without ax")
        if made == "Any":
            assert "ax" in told.parameters, one
            seen += 1
    assert seen >= 12


@pytest.fixture
def axes() -> Any:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def _result(name: str) -> Any:
    X, y = load_dataset("iris").split_target("species")
    if name == "ranking":
        return rank_columns(X, np.asarray(y))
    if name == "silhouette":
        return silhouette(X, KMeans(n_clusters=3).fit(X).labels_)
    return cluster_columns(X) if name == "columns" else bicluster(X, 3, 2)


@pytest.mark.parametrize("name", ["ranking", "silhouette", "columns", "blocks"])
def test_results_that_had_no_axes_draw_on_them(name: str, axes: Any) -> None:
    found = _result(name)
    assert isinstance(found.draw(), Chart)
    assert found.draw(axes) is axes
    assert axes.get_title(loc="left")
