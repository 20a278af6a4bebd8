"""``ask``: a saved tree puts its questions one by one, on the command line."""

import sys
from typing import Any, TextIO

from branchline.cli._answer_lines import answer_line
from branchline.errors import ParameterError, Repair

__all__ = ["ask"]

_UNKNOWN = {"", "?", "don't know", "dont know", "dk", "unknown"}
_HELP = """\
Answer with one of the words in brackets, with the number of a line, or with the value itself (a
number, a category). An empty line or ? means: don't know. undo takes the last answer back, help
shows these lines again, stop ends."""
_MANY_CATEGORIES = 12


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
        _say(_words(question))
        line = answer_line(given)
        if not line or line.strip().lower() in {"stop", "quit", "exit"}:
            break
        _take(dialogue, question, line.strip())
    outcome = dialogue.outcome
    text = f"→ {outcome}" if outcome.is_final else f"So far: {outcome}"
    return {"answer": outcome.to_dict()}, text


def _opening(mean_depth: float, is_leaf: bool) -> str:
    """Say how to answer, and how many questions to expect."""
    if is_leaf:
        return "This tree has no questions: it predicts the same for every row."
    return f"{_HELP}\nThe tree asks {mean_depth:.1f} questions on average."


def _words(question: Any) -> str:
    """Return a question; categories as numbered lines, with all of their names."""
    if not _has_numbered_lines(question):
        return str(question)
    lines = [f"{question.text}?"]
    for place, names in enumerate(question.categories):
        shown = ", ".join(names[:_MANY_CATEGORIES]) or question.choices[place]
        more = len(names) - _MANY_CATEGORIES
        lines.append(f"  {place + 1}  {shown}{f', … {more} more' if more > 0 else ''}")
    return "\n".join(lines)


def _has_numbered_lines(question: Any) -> bool:
    """Whether a number means a line: there are categories, and none of them is a number."""
    names = [name for names in question.categories for name in names]
    return bool(names) and not any(name.strip().isdecimal() for name in names)


def _take(dialogue: Any, question: Any, answer: str) -> None:
    """Take one line of the user; a line that does not answer is said to be none."""
    word = answer.lower()
    if word == "help":
        _say(_HELP)
        return
    if _has_numbered_lines(question) and answer in map(str, range(1, len(question.choices) + 1)):
        answer = question.choices[int(answer) - 1]
    try:
        if word in {"undo", "back"}:
            dialogue.undo()
        else:
            dialogue.answer(None if word in _UNKNOWN else answer)
    except ParameterError as error:
        _say(error.message)


def _say(words: str) -> None:
    """Write to stderr, so that stdout holds the result alone."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
