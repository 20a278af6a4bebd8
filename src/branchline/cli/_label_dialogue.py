"""The dialogue of ``label``: a row is shown, an answer is read and saved.

1. Questions go to stderr, so that stdout holds the result alone. Answers are read line by line.
2. An answer is a class (or its number in brackets), a number, or a word of the dialogue: ? (cannot
   tell), undo, stop. A class that was not there before must be given twice.
3. Every ten labels the score and the advice are told; once it says that further labels are hardly
   worth it, that is said once.
"""

import sys
import warnings
from typing import TYPE_CHECKING, Any, TextIO

from branchline._plain_numbers import cell, count
from branchline._plain_text import clean, shorten, width
from branchline.cli._answer_lines import answer_line
from branchline.cli._emit import text_width, wrapped
from branchline.errors import BranchlineError, BranchlineWarning

if TYPE_CHECKING:
    from branchline.active import ActiveLearner, LabelRecord, StopAdvice
    from branchline.table import Table

__all__ = ["LabelDialogue"]

_UNKNOWN = {"", "?", "don't know", "unknown"}
_STOP, _UNDO = {"stop", "quit", "exit"}, {"undo", "back"}
_HELP = """\
Answer with a class or its number in brackets. An empty line or ? means: cannot tell.
undo takes the last answer back, stop ends. Every answer is saved at once."""
_HELP_NUMBERS = """\
Answer with a number. An empty line or ? means: cannot tell.
undo takes the last answer back, stop ends. Every answer is saved at once."""
_MOST_SHOWN, _LONGEST, _EVERY = 20, 400, 10


class LabelDialogue:
    """Asks until the user stops, nothing is left, or the input ends.

    Parameters
    ----------
    learner
        What is asked next.
    record
        Where answers go.
    shown
        The columns that a person sees.
    target
        The name of the target.
    costs
        The costs of ``ActiveLearner.advice``.
    lines
        Where answers come from; default: standard input.
    """

    def __init__(
        self,
        learner: "ActiveLearner",
        record: "LabelRecord",
        shown: "Table",
        target: str,
        costs: dict[str, Any],
        lines: TextIO | None = None,
    ) -> None:
        self.learner, self.record, self.shown = learner, record, shown
        self.target, self.costs = target, costs
        self.lines = sys.stdin if lines is None else lines
        self._told: list[int] = []
        self._unknown_class = ""
        self._has_stopped = False

    def run(self) -> bool:
        """Ask row after row; return whether Ctrl-C ended it."""
        self.advice()  # wrong costs are refused before the first question
        say(_HELP_NUMBERS if self.learner.task == "regression" else _HELP)
        try:
            while self.learner.n_left and self._ask(int(self.learner.ask()[0])):
                pass
        except KeyboardInterrupt:
            say("")
            return True
        return False

    def advice(self) -> "StopAdvice":
        """Return what further labels are worth."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BranchlineWarning)
            return self.learner.advice(**self.costs)

    def summary(self) -> str:
        """Return how many labels there are, and where."""
        mine = self.learner.n_labeled - self.learner.n_given
        given = f" ({self.learner.n_given} were known before)" if self.learner.n_given else ""
        return f"{count(mine, 'answer')} in {self.record.path}{given}."

    def _ask(self, row: int) -> bool:
        """Ask for one row; return whether to go on."""
        say(self._question(row))
        while True:
            line = answer_line(self.lines)
            word = line.strip()
            if not line or word.lower() in _STOP:
                return False
            if word.lower() in _UNDO:
                self._undo()
                return True
            if self._take(row, word):
                return True

    def _take(self, row: int, word: str) -> bool:
        """Take an answer and save it; return whether it was one."""
        answer = None if word.lower() in _UNKNOWN else self._answer(word)
        if answer is None and word.lower() not in _UNKNOWN:
            return False
        try:
            self.learner.tell(row, answer)
        except BranchlineError as error:
            say(error.message)
            return False
        self._told.append(row)
        self.record.write(self.learner)
        if answer is not None and (self.learner.n_labeled - self.learner.n_given) % _EVERY == 0:
            self._report()
        return True

    def _answer(self, word: str) -> Any:
        """Return the label that a line stands for; None: it must be asked again."""
        if self.learner.task == "regression":
            return word.replace(",", ".") if word.count(",") == 1 and "." not in word else word
        names = self._names()
        by_text = {str(name).casefold(): name for name in names}
        if word.casefold() in by_text:
            return by_text[word.casefold()]
        if not _look_like_numbers(names) and word.isdigit() and 0 < int(word) <= len(names):
            return names[int(word) - 1]
        return self._new_class(word, names)

    def _new_class(self, word: str, names: list[Any]) -> Any:
        """Return a class that is new, when it was given twice."""
        is_fixed = self.learner._given_classes is not None
        if is_fixed or (names and self._unknown_class != word):
            listed = f"The classes {'are' if is_fixed else 'so far are'} {self._choices()}."
            more = "" if is_fixed else f" If {word!r} is a new class, type it once more."
            say(f"{listed}{more}")
            self._unknown_class = word
            return None
        self._unknown_class = ""
        is_number = bool(names) and all(isinstance(name, int) for name in names)
        return int(word) if is_number and word.lstrip("-").isdigit() else word

    def _undo(self) -> None:
        if not self._told:
            say("There is no answer to take back.")
            return
        row = self._told.pop()
        self.learner.forget(row)
        self.learner.ask_first(row)
        self.record.write(self.learner)
        say("The last answer is taken back.")

    def _names(self) -> list[Any]:
        if self.learner._given_classes is None and not self.learner.n_labeled:
            return []
        found = self.learner.classes_
        return [] if found is None else list(found.tolist())

    def _choices(self) -> str:
        names = self._names()
        if _look_like_numbers(names):
            return ", ".join(str(name) for name in names)
        return ", ".join(f"{name} [{at}]" for at, name in enumerate(names, 1))

    def _question(self, row: int) -> str:
        """Return the row as lines, and the question."""
        cells = self.shown.rows([row])
        names = cells.names[:_MOST_SHOWN]
        wide = min(24, max((width(name) for name in names), default=0))
        lines = [""]
        for name in names:
            value = _cell(cells.column(name).to_list()[0])
            lines.append(wrapped(f"  {shorten(clean(name), wide):<{wide}}  {value}",
                                 " " * min(wide + 4, text_width() // 2)))  # fmt: skip
        n_more = cells.n_columns - len(names)
        if n_more:
            lines.append(f"  … and {count(n_more, 'more column')}; --show COLUMN chooses them")
        why = "drawn at random" if self.learner.is_check_row(row) else "informative"
        choices = f" ({self._choices()})" if self._names() else ""
        number = self.learner.n_labeled - self.learner.n_given + 1
        return "\n".join([*lines, f"{number}. {self.target} of row {row}{choices}? ({why})"])

    def _report(self) -> None:
        """Say how good the model is, and what further labels are worth."""
        advice = self.advice()
        score = ""
        if advice.score is not None:
            n_checks = count(len(self.learner.check_rows), "check row")
            score = f" {advice.metric} {advice.score} on {n_checks}."
        say(f"\n{count(self.learner.n_labeled, 'label')}.{score} {advice.verdict()}")


def _look_like_numbers(names: list[Any]) -> bool:
    """Whether a number in brackets could be taken for a class."""
    return any(str(name).lstrip("-").replace(".", "", 1).isdigit() for name in names)


def _cell(value: Any) -> str:
    if value is None or value != value:
        return "(missing)"
    if isinstance(value, float):
        return cell(value)
    return shorten(clean(str(value)), _LONGEST)


def say(words: str) -> None:
    """Write to stderr, so that stdout holds the result alone."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
