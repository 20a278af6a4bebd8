"""The words that we do not use are found in a line and across its end."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[3]
spec = importlib.util.spec_from_file_location("words", ROOT / "tools" / "words.py")
words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(words)


def test_a_phrase_is_found_across_the_end_of_a_line():
    text = "returns a table of so many\n    rows: an array"  # words: ok
    assert [one.split(":")[1] for one in words._in_file("a.py", text)] == ["1"]
    assert len(words._in_file("a.cpp", "// a table of so many\n// rows")) == 1


def test_each_finding_is_told_once_and_sentences_are_not_joined():
    assert len(words._in_file("a.py", "x\nso many rows\ny")) == 1
    assert words._in_file("a.py", "ends with so many.\nrows") == []


def test_a_quoted_word_is_left_alone():
    assert words._in_file("a.py", "so many rows  # words: ok") == []
