"""A dialogue: the tree puts its next question, given the answers so far.

1. An answer narrows what is known of a column: an interval of numbers, or some categories. A later
   test of the column that is thereby decided is not asked.
2. "Don't know" sends the row down every branch of the test, shared by their weights, as missing
   values are shared by C4.5. The next question is that of the open node with the largest share.
3. When no open node has a question left, the answer is the average of the nodes by their shares.
4. ``undo`` takes the last answer back: the state follows from the list of answers alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline._plain_numbers import number, percent
from branchline._trees._costs import decide
from branchline._trees._tree_arrays import CATEGORIES, EVERY_BRANCH, STAY, TreeArrays
from branchline.errors import ParameterError
from branchline.table import Schema
from branchline.tree.asking._answers import condition_of
from branchline.tree.reading._conditions import Condition, branch_conditions
from branchline.tree.reading._labels import Labels

__all__ = ["Dialogue", "Outcome", "Question"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """A question of the tree.

    Parameters
    ----------
    node
        The node that asks.
    column
        The column that it asks about.
    text
        The question in words.
    choices
        The answers in words, one for each branch.
    categories
        All categories of each branch; empty for a threshold.
    """

    node: int
    column: str
    text: str
    choices: tuple[str, ...]
    categories: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        return f"{self.text}? ({' / '.join(self.choices)})"


@dataclass(frozen=True)
class Outcome:
    """What the tree predicts after the answers so far.

    Parameters
    ----------
    prediction
        The class or the number (several outputs: a tuple).
    probabilities
        The probability of each class that is still possible, largest first; empty for numbers.
    n_questions
        How many questions were answered.
    is_final
        Whether no question is left.
    """

    prediction: Any
    probabilities: dict[Any, float]
    n_questions: int
    is_final: bool

    def __str__(self) -> str:
        if not self.probabilities:
            values = self.prediction if isinstance(self.prediction, tuple) else (self.prediction,)
            return ", ".join(number(value, 6) for value in values)
        shown = [f"{name} {percent(p)}" for name, p in list(self.probabilities.items())[:5]]
        return ", ".join(shown)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        names = [{"class": name, "probability": p} for name, p in self.probabilities.items()]
        about = {"prediction": self.prediction, "probabilities": names}
        return {**about, "n_questions": self.n_questions, "is_final": self.is_final}


class Dialogue:
    """Puts the questions of a tree one by one; iterate over it, and answer each question.

    Examples
    --------
    >>> from branchline import load_dataset
    >>> from branchline.tree import ID3
    >>> X, y = load_dataset("tennis").split_target("play")
    >>> dialogue = ID3().fit(X, y).ask()
    >>> for question in dialogue:
    ...     _ = dialogue.answer({"outlook": "rain", "wind": "weak"}[question.column])
    >>> dialogue.outcome.prediction
    'yes'
    """

    def __init__(
        self,
        tree: TreeArrays,
        schema: Schema,
        classes: npt.NDArray[Any] | None,
        decision: npt.NDArray[np.int64] | None,
        costs: Floats | None,
    ) -> None:
        self._tree, self._schema, self._classes = tree, schema, classes
        self._decision, self._costs = decision, costs
        self._labels = Labels(tree, schema, classes, decision)
        # Each answer: the node, and the condition on its column (None: not known).
        self._answers: list[tuple[int, Condition | None]] = []

    # -- questions ------------------------------------------------------------------------------

    @property
    def question(self) -> Question | None:
        """The next question; None when there is none left."""
        ends, waiting = self._state()
        del ends
        if not waiting:
            return None
        node = max(waiting, key=lambda each: (each[1], -each[0]))[0]
        name = self._schema.names[int(self._tree.feature[node])]
        choices = tuple(self._labels.answers(node))
        text = self._labels.question(node)
        is_category = self._tree.kind[node] == CATEGORIES
        names = tuple(map(tuple, self._labels.category_names(node))) if is_category else ()
        return Question(node, name, f"{'What is' if is_category else 'Is'} {text}", choices, names)

    def __iter__(self) -> Iterator[Question]:
        asked = -1
        while (question := self.question) is not None:
            if len(self._answers) == asked:
                return  # the question was not answered
            asked = len(self._answers)
            yield question

    def answer(self, value: Any = None) -> Outcome:
        """Answer the question; None: don't know.

        A number or a category is the value itself. A threshold can be answered with "yes" or "no",
        and every question with one of its choices.
        """
        question = self.question
        if question is None:
            raise ParameterError("There is no question left to answer.", code="P564")
        self._answers.append((question.node, self._condition(question, value)))
        return self.outcome

    def undo(self) -> None:
        """Take the last answer back."""
        if not self._answers:
            raise ParameterError("There is no answer to take back.", code="P564")
        self._answers.pop()

    def _condition(self, question: Question, value: Any) -> Condition | None:
        """Return what an answer says of the column; None when nothing is known."""
        if value is None:
            return None
        place = int(self._tree.feature[question.node])
        field = self._schema.fields[place]
        tests = branch_conditions(self._tree, question.node, field.name, field.type, heaviest=False)
        return condition_of(value, question.text, field, question.choices, tests)

    # -- what is known --------------------------------------------------------------------------

    def _state(self) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
        """Return the nodes where the row ends, and those with open questions, with their shares."""
        known: dict[str, Condition] = {}
        unknown: set[int] = set()
        for node, condition in self._answers:
            if condition is None:
                unknown.add(node)
            else:
                seen = known.get(condition.column)
                known[condition.column] = condition if seen is None else seen & condition
        columns = {self._schema.names[int(self._tree.feature[node])] for node in unknown}
        ends, open_nodes = [], []
        waiting = [(0, 1.0)]
        while waiting:
            node, share = waiting.pop()
            if self._tree.is_leaf[node]:
                ends.append((node, share))
                continue
            branch = self._branch(node, known, columns)
            if branch is None:
                open_nodes.append((node, share))
            elif branch == STAY:
                ends.append((node, share))
            else:
                waiting.extend(self._shares(node, share, branch))
        return ends, open_nodes

    def _branch(self, node: int, known: dict[str, Condition], unknown: set[str]) -> int | None:
        """Return the branch that the answers choose; None: the node has to ask."""
        place = int(self._tree.feature[node])
        field = self._schema.fields[place]
        seen = known.get(field.name)
        tests = branch_conditions(self._tree, node, field.name, field.type, heaviest=False)
        if seen is not None:
            possible = [b for b, test in enumerate(tests) if not (seen & test).is_empty]
            if len(possible) == 1:
                return possible[0]
            if not possible:
                return STAY
        return EVERY_BRANCH if field.name in unknown else None

    def _shares(self, node: int, share: float, branch: int) -> list[tuple[int, float]]:
        first = int(self._tree.first_child[node])
        if branch != EVERY_BRANCH:
            return [(first + branch, share)]
        weight = self._tree.weight[first : first + int(self._tree.n_children[node])]
        parts = (share * weight / weight.sum()).tolist()
        return [(first + each, part) for each, part in enumerate(parts)]

    @property
    def outcome(self) -> Outcome:
        """What the tree predicts after the answers so far."""
        ends, waiting = self._state()
        pairs = ends + waiting
        value = sum(share * self._tree.value[node] for node, share in pairs)
        numbers = np.asarray(value, dtype=np.float64)
        is_final = not waiting
        if self._classes is None:
            predicted = tuple(numbers.tolist())
            plain = predicted[0] if len(predicted) == 1 else predicted
            return Outcome(plain, {}, len(self._answers), is_final)
        place = int(decide(numbers[None], self._costs)[0])
        if len(pairs) == 1 and self._decision is not None:
            place = int(self._decision[pairs[0][0]])
        order = np.argsort(-numbers, kind="stable").tolist()
        names = self._classes.tolist()
        likely = {names[each]: float(numbers[each]) for each in order if numbers[each] > 0}
        return Outcome(names[place], likely, len(self._answers), is_final)
