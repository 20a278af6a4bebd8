import numpy as np
import pytest

from branchline import Table, load_dataset
from branchline.charts._svg._layout import lay_out
from branchline.cluster import KMeans, draw_distances, draw_heat_map, silhouette
from branchline.errors import DataError
from unit.charts.drawing_checks import check_picture


def test_large_tables_are_folded_and_told():
    rng = np.random.default_rng(0)
    chart = draw_heat_map(rng.normal(size=(1200, 320)))
    assert "Of 1,200 rows, 1,000 are drawn." in chart.note
    assert "Of 320 columns, 300 are drawn." in chart.note
    cells = chart.marks[0].values
    assert cells.shape == (30, 30)
    assert len(chart.to_svg()) < 150_000


def test_cells_are_means_of_what_is_known():
    rows = [[0.0, 1.0, np.nan], [0.0, 1.0, 5.0], [9.0, -1.0, 5.0], [9.0, -1.0, 1.0]]
    chart = draw_heat_map(rows, row_names=["a", "b", "c", "d"])
    assert np.isnan(chart.marks[0].values).sum() == 1
    assert "Missing cells are empty" in chart.note
    assert {"a", "b", "c", "d"} <= set(chart.y.categories)
    assert chart.to_svg(theme="dark") != chart.to_svg(theme="light")


def test_tiny_tables_and_tables_without_columns():
    assert draw_heat_map([[1.0], [2.0]]).to_svg()
    assert draw_distances([[1.0, 2.0]]).to_svg()
    with pytest.raises(DataError, match="D711"):
        draw_heat_map([[1.0], [1.0]])


def test_silhouettes_are_drawn_cluster_by_cluster():
    table = load_dataset("iris").drop("species")
    found = silhouette(table, KMeans(3).fit(table).labels_)
    chart = found.draw()
    assert [len(bars.values) for bars in chart.marks[:3]] == [53, 50, 47]
    assert "Mean 0.46" in chart.text
    many = silhouette(np.arange(1000.0)[:, None], np.arange(1000) // 500).draw()
    assert sum(len(bars.values) for bars in many.marks[:2]) <= 400
    assert "One bar stands for 3 rows." in many.note


@pytest.mark.parametrize(("n_columns", "degrees"), [(3, 0), (16, 40), (30, 90)])
def test_names_of_columns_do_not_touch(n_columns: int, degrees: int) -> None:
    rows = np.random.default_rng(2).normal(size=(20, n_columns))
    chart = draw_heat_map(Table({f"gene {i}": rows[:, i] for i in range(n_columns)}))
    check_picture(chart)
    assert lay_out(chart, 640.0, framed=True).x_ticks.degrees == degrees
