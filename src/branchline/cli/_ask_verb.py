"""``ask``: a saved tree puts its questions one by one, on the command line."""

import sys
from typing import Any, TextIO

from branchline.errors import ParameterError, Repair

__all__ = ["ask"]

_UNKNOWN = {"", "?", "don't know", "unknown"}
_HELP = """\
Answer with one of the words in brackets, or with the value itself (a number, a category).
An empty line or ? means: don't know. undo takes the last answer back, stop ends."""


def ask(model_path: str, lines: TextIO | None = None) -> tuple[dict[str, Any], str]:
    """Put the questions of a saved tree; answers are read line by line."""
    from branchline import load

    model = load(model_path)
    if not hasattr(model, "ask"):
        raise ParameterError(
            f"{model_path!r} holds a {type(model).__name__}, which asks no questions: only single "
            "trees do.",
            code="P561",
            values=[model_path],
            repair=Repair(flag="branchline tree table.csv --target y --save model.branchline"),
        )
    dialogue = model.ask()
    given = sys.stdin if lines is None else lines
    _say(_opening(model.mean_depth_, dialogue.question is None))
    while (question := dialogue.question) is not None:
        _say(str(question))
        line = given.readline()
        if not line or line.strip().lower() in {"stop", "quit", "exit"}:
            break
        _take(dialogue, line.strip())
    outcome = dialogue.outcome
    text = f"→ {outcome}" if outcome.is_final else f"So far: {outcome}"
    return {"answer": outcome.to_dict()}, text


def _opening(mean_depth: float, is_leaf: bool) -> str:
    """Say how to answer, and how many questions to expect."""
    if is_leaf:
        return "This tree has no questions: it predicts the same for every row."
    return f"{_HELP}\nThe tree asks {mean_depth:.1f} questions on average."


def _take(dialogue: Any, answer: str) -> None:
    """Take one line of the user; a line that does not answer is said to be none."""
    try:
        if answer.lower() in {"undo", "back"}:
            dialogue.undo()
        else:
            dialogue.answer(None if answer.lower() in _UNKNOWN else answer)
    except ParameterError as error:
        _say(str(error))


def _say(words: str) -> None:
    """Write to stderr, so that stdout holds the result alone."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
