"""Tables of the studio: cards, repairs as buttons, changes, refusals."""

import pytest

from branchline.errors import BranchlineError, DataError
from branchline.studio.work.tables import (
    add_upload,
    bundled_sets,
    change_table,
    learners_for,
    look_at,
    repairs_in,
    rows_of,
    script_of_compare,
)
from unit.studio.work.conftest import added


def card(seen, name):
    return next(one for one in seen["cards"] if one["name"] == name)


def test_a_card_holds_what_look_says(desk, iris):
    seen = look_at(desk, iris)
    assert (seen["rows"], seen["columns"], seen["task"]) == (150, 5, "classification")
    one = card(seen, "petal_length")
    assert one["kind"] == "numeric"
    assert sum(one["shape"]) == 150
    assert card(seen, "species")["is_target"]
    assert [value["share"] for value in card(seen, "species")["frequent"]] == [1 / 3] * 3


def test_repairs_of_a_messy_table_can_be_applied_one_after_the_other(desk):
    head = "patient;weight;visit;note;same;outcome\n"
    rows = [
        f"p{k};{60 + k % 9},5;0{k % 9 + 1}.02.2020;{k % 5 or 'unclear'};1;{'yn'[k % 2]}"
        for k in range(60)
    ]
    seen = added(desk, head + "\n".join(rows))
    id = seen["table"]["id"]
    done = []
    for _ in range(12):
        found = [
            (one["name"], fix)
            for one in seen["cards"]
            for note in one["notes"]
            for fix in note["repairs"]
            if fix["label"] not in {"Keep the texts"} and (one["name"], fix["label"]) not in done
        ]
        if not found:
            break
        name, fix = found[0]
        done.append((name, fix["label"]))
        revision = seen["table"]["revision"]
        seen = change_table(desk, id, revision, fix["change"], False)
        assert seen["table"]["revision"] == revision + 1
    assert ("patient", "Leave the column out") in done
    assert ("same", "Leave the column out") in done
    assert {one["name"] for one in seen["left_out"]} >= {"patient", "same"}


def test_what_is_left_out_can_be_taken_back(desk, iris):
    seen = change_table(desk, iris, 1, {"drop": ["sepal_width"]}, False)
    assert "sepal_width" not in seen["names"]
    seen = change_table(desk, iris, 2, {"drop": []}, True)
    assert "sepal_width" in seen["names"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"target": "nowhere"}, "D003"),
        ({"kinds": {"species": "number"}}, "K002"),
        ({"kinds": {"species": "nonsense"}}, None),
        ({"drop": ["species"]}, "P960"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(desk, iris, changes, code):
    with pytest.raises(BranchlineError) as caught:
        change_table(desk, iris, 1, changes, False)
    assert code in {None, caught.value.code}
    assert look_at(desk, iris)["table"]["revision"] == 1


def test_two_tabs(desk, iris):
    change_table(desk, iris, 1, {"drop": ["sepal_width"]}, False)
    with pytest.raises(BranchlineError) as caught:
        change_table(desk, iris, 1, {"target": "petal_width"}, False)
    assert caught.value.code == "P961"


@pytest.mark.parametrize("content", [b"", b"\x80\x04x", b"PK\x03\x04rubbish", b"<html></html>"])
def test_a_bad_file_is_refused_and_removed(desk, content):
    id = desk.workspace.new_id()
    path = desk.workspace.place("tables", id, ".csv")
    path.write_bytes(content)
    with pytest.raises(BranchlineError):
        add_upload(desk, id, "bad.csv", ".csv")
    assert not path.exists()
    assert desk.workspace.names("tables") == []


def test_rows_are_texts(desk, messy):
    part = rows_of(desk, messy["table"]["id"], 2, 2)
    assert part["of"] == 6
    assert len(part["rows"]) == 2
    assert part["rows"][1][part["names"].index("weight")] is None
    assert rows_of(desk, messy["table"]["id"], 99, 5)["rows"] == []


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("Say which: --kind 'my day'=date:%d/%m/%Y.", {"kinds": {"my day": "date:%d/%m/%Y"}}),
        ("x: --kind 'a b=number:,'.", {"kinds": {"a b": "number:,"}}),
        ("If these mean missing: --missing '-9' --missing none.", {"missing": ["-9", "none"]}),
        ("Else --drop id.", {"drop": ["id"]}),
        ("--group patient.", {"group": "patient"}),
        ("--time-column 'the day'.", {"time_column": "the day"}),
    ],
)
def test_printed_flags_become_changes(command, change):
    assert repairs_in("x", "other", command)[0]["change"] == change


def test_lists_for_the_page():
    assert {one["name"] for one in bundled_sets(None)} >= {"iris", "german-credit"}
    found = learners_for(None, "regression")
    assert "rmse" in found["metrics"]
    assert "accuracy" not in found["metrics"]
    assert "linear_regression" in {one["name"] for one in found["learners"]}


def test_a_comparison_without_a_target_is_refused(desk, messy):
    with pytest.raises(BranchlineError) as caught:
        script_of_compare(desk, messy["table"]["id"], {})
    assert caught.value.code == "D961"


PAIR = {"names": "good, bad.\ncolor: red, green.\nsize: continuous.\n",
        "data": "red, 1.5, good.\ngreen, ?, bad.\nred, 2.0, bad.\n"}  # fmt: skip


def test_a_pair_of_c45_is_read_with_its_names(desk):
    names, id = desk.workspace.new_id(), desk.workspace.new_id()
    desk.workspace.place("files", names, ".names").write_text(PAIR["names"], encoding="utf-8")
    desk.workspace.place("tables", id, ".data").write_text(PAIR["data"], encoding="utf-8")
    seen = add_upload(desk, id, "fruit.data", ".data", names)
    assert seen["names"] == ["color", "size", "class"]
    assert (seen["rows"], seen["missing"]) == (3, 1)
    assert "fruit.data" in seen["script"]["command"]
    desk.workspace.remove("tables", id)
    assert not list((desk.workspace.folder / "tables").iterdir())


def test_rows_of_c45_without_their_names_are_refused_and_nothing_is_kept(desk):
    id = desk.workspace.new_id()
    desk.workspace.place("tables", id, ".data").write_text(PAIR["data"], encoding="utf-8")
    with pytest.raises(DataError, match=r"choose fruit\.names together with it") as caught:
        add_upload(desk, id, "fruit.data", ".data")
    assert caught.value.code == "F017"
    assert not list((desk.workspace.folder / "tables").iterdir())
