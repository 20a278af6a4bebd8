"""Damaged pickles of models: each is refused with one typed error, or is safe to use.

A pickle can run any code, so nobody is safe from one made by an enemy. But one whose values are
damaged must not become a crash in native code or a model that predicts nonsense. Three kinds:

1. *arrays*: values, dtypes, lengths and steps of arrays changed, and plain numbers, at any depth
   of what was fitted, then the model pickled;
2. *attributes*: a fitted attribute left out, or something else in its place;
3. *alone*: as *arrays*, but a tree is pickled without its model.

``python -m fuzz.model_pickles --mutants 5000 --seed 1``, from the folder ``tests``.
"""

import copy
import dataclasses
import pickle
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from branchline._trees._tree_arrays import Scale
from branchline.errors import ModelFileError
from branchline.table import Schema
from fuzz.harness import Campaign, main
from fuzz.model_use import fitted_models, use, use_tree, warm_up
from fuzz.mutate_arrays import EXTREME_REAL, EXTREME_WHOLE
from saved_models import MODELS, OTHER_MODELS

__all__ = ["CAMPAIGN", "attempt"]

KINDS = ("arrays", "attributes", "alone")
UNITS = (0.0, -1.0, 1.0, 2.0, 0.5, 2.0**-52, 5e-324, float("nan"), float("inf"), "1", None)
CENTRES = (None, (), (0.0,), (1e308,), (float("nan"),), (0.0, 0.0), "abc", (None,), 3)
DEEPEST = 8
# What packing a tree that was damaged in memory may raise: there is no pickle then.
NO_PICKLE = (
    ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError, np.ma.MAError
)  # fmt: skip


_CORPUS: list[Any] = []


def corpus() -> list[Any]:
    """Return fitted models of every make and of every estimator."""
    if not _CORPUS:
        _CORPUS.extend(make() for make in (*MODELS.values(), *OTHER_MODELS.values()))
        _CORPUS.extend(fitted_models())
    return _CORPUS


def take_corpus(models: list[Any]) -> None:
    """Let mutants be made of these models."""
    _CORPUS[:] = models


def attempt(seed: int, number: int) -> str:
    """Damage a model, pickle it and, if it comes back, use it in every way."""
    rng = random.Random(f"{seed}:{number}")
    kind = CAMPAIGN.kind_of(number)
    models = [model for model in corpus() if kind != "alone" or hasattr(model, "tree_")]
    model = copy.deepcopy(rng.choice(models))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(rng.choice((1, 1, 2, 4))):
            if kind == "attributes":
                _damage_attribute(rng, model)
            elif kind == "alone" or (hasattr(model, "tree_") and rng.random() < 0.5):
                _damage(rng, model.tree_)
            else:
                _damage_part(rng, model)
        damaged = model.tree_ if kind == "alone" else model
        try:
            packed = pickle.dumps(damaged)
        except NO_PICKLE:
            return "refused"
        try:
            again = pickle.loads(packed)
        except ModelFileError as error:
            str(error).encode()
            return "refused"
        use_tree(again) if kind == "alone" else _use_if_fitted(again)
    return "usable"


def _use_if_fitted(model: Any) -> None:
    if model.__sklearn_is_fitted__():
        use(model)


# -- arrays -------------------------------------------------------------------------------------


def _damage(rng: random.Random, tree: Any) -> None:
    name = rng.choice([field.name for field in dataclasses.fields(tree)])
    value = getattr(tree, name)
    if name == "scale" or not isinstance(value, np.ndarray):
        tree.__dict__["scale"] = _other_scale(rng, tree.scale)
    elif rng.random() < 0.7:
        _change_value(rng, value)
    else:
        tree.__dict__[name] = _other_array(rng, value)


def _change_value(rng: random.Random, array: Any) -> None:
    is_plain = type(array) is np.ndarray and array.dtype.kind in "iuf" and array.flags.writeable
    if not is_plain or array.size == 0:
        return
    flat, place = array.reshape(-1), rng.randrange(array.size)
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[place] = rng.choice((*EXTREME_REAL, float(flat[place]) + 1))
    else:
        near = (int(flat[place]) + 1, int(flat[place]) - 1, int(flat[rng.randrange(array.size)]))
        whole = rng.choice((*EXTREME_WHOLE, *near)) % 2**64
        flat[place] = np.array(whole, dtype=np.uint64).astype(array.dtype)


def _other_array(rng: random.Random, array: Any) -> Any:
    narrow = np.float32 if array.dtype.kind in "biuf" else object
    with np.errstate(all="ignore"):
        others = (
            array[:-1], np.append(array, array), array[::-1], np.repeat(array, 2, axis=0)[::2],
            array.astype(narrow), array.astype(array.dtype.newbyteorder()), array[None],
            array.ravel(), array.astype(object), np.ma.masked_array(array, mask=True), None,
            array.tolist(), np.asfortranarray(array), np.zeros_like(array),
        )  # fmt: skip
    return rng.choice(others)


def _other_scale(rng: random.Random, scale: Any) -> Any:
    if not isinstance(scale, Scale) or rng.random() < 0.1:
        return rng.choice((None, 3, "scale"))
    change = rng.choice(("unit", "center", "bits"))
    some = {"unit": UNITS, "center": CENTRES, "bits": (0, 1, -1, 62, 3000, -3000, 1.5, None)}
    return dataclasses.replace(scale, **{change: rng.choice(some[change])})


# -- parts of anything fitted -------------------------------------------------------------------


def _damage_part(rng: random.Random, model: Any) -> None:
    """Change an array or a number, wherever it is in what was fitted."""
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_")}
    places = [*_places_in(model.__dict__, fitted)]
    if not places:
        return
    holder, key = rng.choice(places)
    value = holder[key]
    if isinstance(value, np.ndarray) and rng.random() < 0.7:
        _change_value(rng, value)
    elif isinstance(value, np.ndarray):
        holder[key] = _other_array(rng, value)
    else:
        holder[key] = rng.choice((*EXTREME_REAL, *EXTREME_WHOLE, True, None, "1", value))


def _places_in(holder: Any, values: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every array and number; tuples cannot be changed, what they hold can.

    Objects of other libraries (a schema's types, scikit-learn's parts) are left alone.
    """
    pairs = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in pairs:
        if isinstance(value, np.ndarray | float | int) and not isinstance(holder, tuple):
            yield holder, key
        elif depth < DEEPEST:
            inside = value if isinstance(value, dict | list | tuple) else _attributes(value)
            yield from _places_in(inside, inside, depth + 1)


def _attributes(value: Any) -> dict[str, Any]:
    is_ours = type(value).__module__.startswith("branchline.") and hasattr(value, "__dict__")
    return value.__dict__ if is_ours and not isinstance(value, Schema) else {}


# -- attributes ---------------------------------------------------------------------------------


def _damage_attribute(rng: random.Random, model: Any) -> None:
    fitted = [name for name in vars(model) if name.endswith("_") or name.startswith("_")]
    name = rng.choice([name for name in fitted if "callback" not in name] or ["schema_"])
    if rng.random() < 0.2:
        model.__dict__.pop(name, None)
        return
    other = rng.choice(corpus())
    odd = [None, 0, -1, 1.5, "abc", [], [1], {}, (), np.array(1.0), np.zeros(3), np.zeros((2, 2))]
    odd += [np.array([3, 1, 2]), np.array(["b", "a"]), np.array([None, "a", 1], dtype=object)]
    odd += [vars(other)[each] for each in vars(other) if each.endswith("_")]
    model.__dict__[name] = copy.deepcopy(rng.choice(odd))


CAMPAIGN = Campaign(
    "fuzz.model_pickles",
    ("fuzz.model_use",),
    KINDS,
    attempt,
    warm_up,
    share=corpus,
    receive=take_corpus,
)

if __name__ == "__main__":
    main(CAMPAIGN)
