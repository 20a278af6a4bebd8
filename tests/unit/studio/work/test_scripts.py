"""The printed Python and command line are carried out, and do what the page has done."""

import contextlib
import io
import re
import shlex
import warnings

import pytest

from branchline.studio.work._lab_learners import LEARNERS
from branchline.studio.work._model_files import keep_model
from branchline.studio.work.groups import find_axes_of, find_groups_of
from branchline.studio.work.lab import lab_fit, lab_points
from branchline.studio.work.models import predict_row
from branchline.studio.work.tables import add_bundled, change_table, look_at, script_of_compare
from branchline.studio.work.trees import edit_tree, view_tree
from command_line import run_here


def run_python(script, expected_names=()):
    """Carry out the Python of a script; return what it prints and its names."""
    space, out = {}, io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        exec(script["python"], space)
    return out.getvalue(), space


def run_command(script):
    """Carry out the command line of a script, without a shell; return what is printed."""
    text = script["command"]
    if here := re.match(r"cat > (\S+) <<'END'\n(.*?)\nEND\n", text, re.DOTALL):
        with open(here[1], "w", encoding="utf-8") as file:
            file.write(here[2])
        text = text[here.end() :]
    for line in text.splitlines():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = run_here(*shlex.split(line)[1:])
        assert done.returncode == 0, done.stderr
    return done.stdout


def in_one_line(text):
    """Return a text without the breaks of a terminal's lines."""
    return " ".join(text.split())


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def changed(desk, messy, here):
    """A table read with kinds, a missing text and a dropped column; the file lies in the folder."""
    id = messy["table"]["id"]
    (here / "messy.csv").write_bytes(desk.workspace.place("tables", id, ".csv").read_bytes())
    changes = {"target": "outcome", "drop": ["patient"], "missing": ["unknown"],
               "kinds": {"visit": "date:%d.%m.%Y", "sex": "category"}}  # fmt: skip
    return change_table(desk, id, 1, changes, False)


def test_look_is_the_same_three_times(changed):
    printed, space = run_python(changed["script"])
    assert space["table"].names == tuple(changed["names"])
    assert "outcome" in printed
    assert "visit" in run_command(changed["script"])
    assert str(space["table"].schema["visit"].source) == "date"
    assert space["table"].column("note").is_missing.sum() == 1


def test_a_bundled_table_with_changes(desk, iris, here):
    changes = {"drop": ["sepal_width"], "kinds": {"petal_width": "category"}}
    seen = change_table(desk, iris, 1, changes, False)
    _, space = run_python(seen["script"])
    assert list(space["table"].names) == seen["names"]
    assert space["table"].schema["petal_width"].kind == "category"
    assert "petal_width" in run_command(seen["script"])


def test_compare(desk, iris, here):
    options = {"learners": ["tree", "naive_bayes"], "n_folds": 3, "metric": "log_loss"}
    script = script_of_compare(desk, iris, options)
    printed, space = run_python(script)
    told = run_command(script)
    best = space["found"].recommendation.learner
    assert f"Take {best}" in printed
    assert f"Take {best}" in in_one_line(told)
    assert (here / "iris-report.html").exists()


def test_rows_without_a_target_are_left_out_alike(desk, here):
    from unit.studio.work.conftest import added

    text = "x,y\n" + "".join(f"{k},{'' if k % 7 == 0 else 'ab'[k % 2]}\n" for k in range(40))
    (here / "gaps.csv").write_text(text)
    id = added(desk, text, "gaps.csv")["table"]["id"]
    change_table(desk, id, 1, {"target": "y"}, False)
    script = script_of_compare(desk, id, {"learners": ["tree"], "n_folds": 2})
    assert "--known-only" in script["command"]
    _, space = run_python(script)
    assert space["found"].problem.n_rows == 34
    run_command(script)


def test_a_tree_and_its_edits(desk, iris, here):
    made = desk.workspace.add(
        "trees", {"table": iris, "settings": {"max_depth": 3}, "edits": [], "undone": []}
    )
    seen = view_tree(desk, made["id"])
    printed, _ = run_python(seen["script"])
    assert printed.strip() == seen["text"].strip()
    assert seen["text"].strip() in run_command(seen["script"])
    edit = {"edit": "replace", "node": 0, "column": "petal_length", "threshold": 2.5}
    seen = edit_tree(desk, made["id"], 1, "edit", edit)
    printed, _ = run_python(seen["script"])
    assert seen["text"].strip() in printed
    assert seen["tree"]["edits"][0]["price"]["verdict"] in printed
    assert seen["text"].strip() in run_command(seen["script"])


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_lab(desk, here, learner):
    points = lab_points(desk, "moons", 40, 0, 0.2, None, [])
    rows = zip(points["X"], points["y"], strict=True)
    lines = [f'{x},{y},"{points["classes"][kind]}"' for (x, y), kind in rows]
    (here / "points.csv").write_text("\n".join(["x,y,class", *lines, ""]))
    given = {"X": points["X"], "y": points["y"], "classes": points["classes"]}
    found = lab_fit(desk, learner, {}, held_points=[], held_targets=[], **given)
    _, space = run_python(found["script"])
    errors = space["model"].predict(space["X"]) != space["y"]
    assert errors.mean() == pytest.approx(found["train_error"])
    run_command(found["script"])


def test_axes(desk, iris, here):
    found = find_axes_of(desk, iris)
    _, space = run_python(found["script"])
    assert space["axes"].formula(0, 6) == found["formulas"][0]
    run_command(found["script"])
    assert (here / "axes.svg").exists()


@pytest.mark.parametrize(
    ("data", "method", "n_clusters", "target"),
    [
        ("fruit", "agglomerative", 2, "shown"),
        ("fruit", "kmeans", None, None),
        ("iris", "kmeans", 3, "species"),
        ("fruit", "kmedoids", 2, "leaf"),
    ],
)
def test_groups(desk, here, data, method, n_clusters, target):
    seen = add_bundled(desk, data)["table"]
    if target != "shown":
        change_table(desk, seen["id"], 1, {"target": target}, True)
    found = find_groups_of(desk, seen["id"], method, n_clusters)
    printed, space = run_python(found["script"])
    assert printed.strip() == found["text"].strip()
    assert space["found"].n_clusters == found["n_clusters"]
    assert in_one_line(found["text"]) in in_one_line(run_command(found["script"]))


def test_groups_of_a_table_with_names_of_rows(desk, here):
    """What names the rows takes no part but as a name; the same holds of a constant column."""
    from unit.studio.work.conftest import added

    text = "id,x,y,same,end\n" + "".join(
        f"row-{k},{k % 3 + k / 100:.2f},{k % 3 * 2 - k / 90:.2f},1,{k}\n" for k in range(45)
    )
    (here / "named.csv").write_text(text)
    id = added(desk, text, "named.csv")["table"]["id"]
    found = find_groups_of(desk, id, "kmeans", 3)
    assert found["set_aside"] == ["id", "end", "same"]
    assert "most typical: row-" in found["text"]
    assert run_python(found["script"])[0].strip() == found["text"].strip()
    assert in_one_line(found["text"]) in in_one_line(run_command(found["script"]))


def test_prediction(desk, here):
    """The model is the file that the page saves; the command reads a file of new rows."""
    import branchline as bl

    table = bl.load_dataset("iris")
    columns = "sepal_length,sepal_width,petal_length,petal_width"
    made = bl.compare(table, "species", learners="tree", n_folds=3).fit("tree")
    id = keep_model(desk.workspace, made, "my model", None, "species")["id"]
    found = predict_row(desk, id, dict(zip(columns.split(","), [6.0, 2.9, 4.9, 1.6], strict=True)))
    file = found["script"]["command"].split()[2]
    (here / file).write_bytes(desk.workspace.place("models", id, ".branchline").read_bytes())
    printed, _ = run_python(found["script"])
    assert printed.startswith(f"['{found['prediction']}']")
    assert found["explanation"]["about"] in printed
    (here / "new.csv").write_text(f"{columns}\n6.0,2.9,4.9,1.6\n")
    run_command(found["script"])
    kept = bl.read_table(here / "predictions.csv")
    assert kept.column("prediction").to_list() == [found["prediction"]]


def test_scripts_quote_what_a_shell_would_take_apart(desk, here):
    from unit.studio.work.conftest import added

    text = "a b,$(rm -rf x),y\n1,2,u\n3,4,v\n5,6,u\n"
    (here / "it's; here.csv").write_text(text)
    seen = added(desk, text, "it's; here.csv")
    id = seen["table"]["id"]
    seen = change_table(desk, id, 1, {"drop": ["$(rm -rf x)"], "kinds": {"a b": "category"}}, False)
    assert run_python(seen["script"])[1]["table"].names == ("a b", "y")
    assert "a b" in run_command(seen["script"])
    assert look_at(desk, id)["table"]["name"] == "it's; here.csv"
