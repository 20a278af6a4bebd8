"""The forms of requests: what is not one of these is refused before anything is done."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from branchline.studio._limits import LAB_POINTS

__all__ = [
    "AnswersBody",
    "AxesBody",
    "BundledBody",
    "ChangeBody",
    "CompareBody",
    "EditBody",
    "EnterBody",
    "GroupsBody",
    "LabFitBody",
    "LabPartsBody",
    "LabPointsBody",
    "NameBody",
    "PredictBody",
    "SettingsBody",
    "TreeBody",
]

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z_0-9]+$")]
Coordinate = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Point = Annotated[list[Coordinate], Field(min_length=1, max_length=2)]
# Names of parameters, as sliders have them: "C" has a capital.
Parameter = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z_0-9]+$")]
Values = Annotated[dict[Parameter, Coordinate], Field(max_length=10)]
Noise = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False)


class EnterBody(_Body):
    """The secret of the address."""

    token: Annotated[str, Field(max_length=200)]


class BundledBody(_Body):
    """A bundled data set."""

    name: Name


class _Changes(_Body):
    kinds: dict[Name, Name] | None = None
    drop: list[Name] | None = None
    missing: list[Name] | None = None
    target: Name | None = None
    group: Name | None = None
    time_column: Name | None = None


class ChangeBody(_Body):
    """How a table is read differently."""

    revision: Annotated[int, Field(ge=1)]
    changes: _Changes
    replace: bool = False


class _CompareOptions(_Body):
    learners: Literal["fast", "all"] | Annotated[list[Word], Field(min_length=1, max_length=60)] = (
        "fast"
    )
    metric: Word | None = None
    n_folds: Annotated[int, Field(ge=2, le=50)] = 10
    n_repeats: Annotated[int, Field(ge=1, le=50)] | None = None
    tuning: Literal["small", "medium", "large"] | None = None
    positive: Name | None = None
    prefer: Literal["accuracy", "balance", "simplicity"] = "balance"
    time_budget: Annotated[float, Field(gt=0, le=86400, allow_inf_nan=False)] | None = None
    group: Name | None = None
    time_column: Name | None = None


class CompareBody(_Body):
    """A comparison of learners."""

    table: Id
    options: _CompareOptions

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return self.options.model_dump(exclude_defaults=True)


class _TreeSettings(_Body):
    method: Literal["tree", "c45", "cart", "id3", "one_rule", "stump"] = "tree"
    max_depth: Annotated[int, Field(ge=1, le=60)] | None = None
    max_leaf_nodes: Annotated[int, Field(ge=2, le=2000)] | None = None
    min_samples_leaf: Annotated[int, Field(ge=1, le=100_000)] | None = None
    ccp_alpha: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] | None = None
    prune: Literal["none"] | None = None

    def given(self) -> dict[str, Any]:
        """Return what was chosen, as the estimator takes it."""
        chosen = {name: value for name, value in self.model_dump().items() if value is not None}
        return {**chosen, "prune": None} if chosen.get("prune") == "none" else chosen


class TreeBody(_Body):
    """A tree on a table."""

    table: Id
    settings: _TreeSettings = _TreeSettings()


class SettingsBody(_Body):
    """Other settings for a tree; its edits are given up."""

    revision: Annotated[int, Field(ge=1)]
    settings: _TreeSettings


Plain = str | float | int | bool | None


class _Edit(_Body):
    edit: Literal["replace", "prune", "graft", "relabel", "merge", "forbid", "require", "regrow"]
    node: Annotated[int, Field(ge=0, le=10**9)]
    column: Name | None = None
    threshold: Coordinate | None = None
    categories: Annotated[list[Name], Field(max_length=2000)] | None = None
    below: Literal["keep", "grow", "leaf"] | None = None
    prediction: Plain = None
    max_depth: Annotated[int, Field(ge=1, le=60)] | None = None


class EditBody(_Body):
    """An edit of a tree, or one taken back."""

    revision: Annotated[int, Field(ge=1)]
    action: Literal["edit", "undo", "redo", "reset"]
    edit: _Edit | None = None

    def told(self) -> dict[str, Any] | None:
        """Return the edit as the library takes it."""
        if self.edit is None:
            return None
        return {name: value for name, value in self.edit.model_dump().items() if value is not None}


class NameBody(_Body):
    """A name for something that is kept."""

    name: Annotated[str, Field(min_length=1, max_length=120)]


class AnswersBody(_Body):
    """The answers of a dialogue so far."""

    answers: Annotated[list[Plain], Field(max_length=200)]


class LabPointsBody(_Body):
    """Points of a shape, or rows of a table."""

    shape: Word = "moons"
    n: Annotated[int, Field(ge=4, le=LAB_POINTS)] = 120
    seed: Annotated[int, Field(ge=0, le=10**6)] = 0
    noise: Noise = 0.2
    table: Id | None = None
    columns: Annotated[list[Name], Field(max_length=2)] = []


class LabFitBody(_Body):
    """A learner and the points it learns from."""

    learner: Word
    values: Values = {}
    X: Annotated[list[Point], Field(max_length=LAB_POINTS)]
    y: Annotated[list[Coordinate], Field(max_length=LAB_POINTS)]
    held_points: Annotated[list[Point], Field(max_length=LAB_POINTS)] = []
    held_targets: Annotated[list[Coordinate], Field(max_length=LAB_POINTS)] = []
    classes: Annotated[list[Name], Field(min_length=2, max_length=8)] | None = None


class LabPartsBody(_Body):
    """A learner on a curve, 100 times."""

    learner: Word
    values: Values = {}
    curve: Word
    n: Annotated[int, Field(ge=5, le=400)] = 50
    noise: Noise = 0.2


class PredictBody(_Body):
    """A row to predict."""

    row: Annotated[dict[Name, Plain], Field(max_length=6000)]


class GroupsBody(_Body):
    """How groups are found."""

    table: Id
    method: Word = "kmeans"
    n_clusters: Annotated[int, Field(ge=2, le=50)] | None = None


class AxesBody(_Body):
    """The table whose axes are found."""

    table: Id
