"""Cells of new rows that were converted when read meet names that the model learned as text."""

from pathlib import Path

from branchline import read_table
from branchline.tree import DecisionTreeClassifier


def test_money_that_was_learned_as_names_is_found_again(tmp_path: Path) -> None:
    fees = ["$5", "$10", "free"] * 20
    lines = [f"{fee},{'a' if fee == '$5' else 'b'}" for fee in fees]
    (tmp_path / "old.csv").write_text("\n".join(["fee,y", *lines]))
    X, y = read_table(tmp_path / "old.csv").split_target("y")
    model = DecisionTreeClassifier().fit(X, y)
    (tmp_path / "new.csv").write_text("\n".join(["fee,z", *["$5,1"] * 5, "$10,2"]))
    new = read_table(tmp_path / "new.csv").drop("z")
    assert new.column("fee").kind == "numeric"  # alone, these cells are amounts
    assert model.predict(new).tolist() == ["a"] * 5 + ["b"]
