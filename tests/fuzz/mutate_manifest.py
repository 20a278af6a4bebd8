"""Forged manifests: JSON fields changed, deleted, doubled, moved and retyped at any depth."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from branchline._saving._container import pack_entries, read_entries

__all__ = ["mutate_manifest", "write_json"]

Corpus: TypeAlias = Sequence[bytes]


class Raw(str):
    """Text that goes into the JSON as it is."""


class Pairs(list[tuple[str, Any]]):
    """A JSON object that may have a key twice."""


# What a field may become. A Raw is JSON that json.dumps would not write.
NASTY: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**53, 2**63, 2**64,
    0.0, -0.0, 0.5, 1.0, 1e308, -1e308, 5e-324, "", "a", "x0", "x1", "nan", "inf", "1", "True",
    "numeric", "category", "float", "integer", "boolean", "string", "ordered", "date", "datetime",
    "duration", "time", "D", "s", "ns", "Europe/Brussels", "../../etc/passwd", "\0", "\n", "é" * 9,
    "DecisionTreeClassifier", "DecisionTreeRegressor", "MajorityClassifier", "MeanRegressor",
    "Pipeline",
    "os.system", "gini", "entropy", "multiway", "binary", "a" * 5000, [], [[]], ["a"], ["a", "a"],
    ["a", "b"], [1, 2], [1, "1"], [0.5], [True, False], [False, True], [None], {}, {"a": 1},
    {"$array": 0}, {"$array": 1}, {"$array": -1}, {"$array": True}, {"$array": 1.0},
    {"objects": ["a", "b"]}, {"objects": [1, 2]}, {"objects": [False, True]}, {"objects": [1, "a"]},
    {"pairs": []}, {"pairs": [["town", 1.0]]}, {"pairs": [[1, 2], [True, 3]]},
    {"pairs": [[[1], 2]]}, {"pairs": [[1]]}, {"pairs": {}}, {"pairs": 1},
    {"pairs": [[{"tuple": ["ill", "ok"]}, 5.0]]}, {"pairs": [[{"tuple": [[1]]}, 2]]},
    {"pairs": [[{"pairs": []}, 2]]}, {"pairs": [[{"tuple": [{"pairs": []}]}, 2]]}, {"tuple": []},
    {"tuple": [1, {"tuple": [2]}]}, {"tuple": "ab"}, {"tuple": [], "pairs": []}, [[[[1]]]],
    [[[[[1]]]]], [[0, 1], [1, 0]],
    Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e999"), Raw("9" * 400), Raw("9" * 5000),
    Raw('"\\ud800"'), Raw('["\\udfff"]'), Raw("[" * 3000 + "]" * 3000), Raw('{"a":1,"a":2}'),
    Raw("1.0"), Raw("-0"), Raw("01"), Raw("[1,]"), Raw("undefined"), Raw("1e2"), Raw("\ufeff1"),
    Raw("[" + "0," * 20000 + "0]"), Raw('{"a":' * 500 + "1" + "}" * 500),
)  # fmt: skip


def write_json(value: Any) -> bytes:
    """Return JSON that may be odd: doubled keys, strange numbers, halves of surrogate pairs."""
    return _text(value).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{json.dumps(k)}:{_text(v)}" for k, v in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(value)


def mutate_manifest(rng: random.Random, corpus: Corpus) -> bytes:
    """Edit the JSON at random depth; the container is sound."""
    first, *rest = read_entries(rng.choice(corpus))
    manifest = json.loads(first.read(), object_pairs_hook=Pairs)
    other = json.loads(read_entries(rng.choice(corpus))[0].read(), object_pairs_hook=Pairs)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _edit_json(rng, manifest, other)
    arrays = [entry.read() for entry in rest]
    if rng.random() < 0.1:
        rng.shuffle(arrays)
    return pack_entries(write_json(manifest), arrays)


def _edit_json(rng: random.Random, manifest: Any, other: Any) -> None:
    spots = list(_spots(manifest))
    fitted = next((value for key, value in manifest if key == "fitted"), None)
    inside = list(_spots(fitted))
    parent, place = rng.choice(inside if inside and rng.random() < 0.4 else spots)
    is_pairs = isinstance(parent, Pairs)
    key, value = parent[place] if is_pairs else ("", parent[place])
    how = rng.randrange(8)
    if how == 0:
        del parent[place]
        return
    if how == 1:
        parent.insert(place, copy.deepcopy(parent[place]))
        return
    if how == 2 and is_pairs:
        parent[place] = (rng.choice(("", "a", "$array", "name", "kind", "extra", key + "x")), value)
        return
    if how == 3 and is_pairs:
        parent.append((rng.choice(("a", "extra", "unit", "timezone", "categories")), _nasty(rng)))
        return
    there, elsewhere = rng.choice(list(_spots(other)) if how == 4 else spots)
    new = there[elsewhere] if how in (4, 5) else _nasty(rng)
    if how in (4, 5) and isinstance(there, Pairs):
        new = new[1]
    if how == 6:
        new = _near(rng, value)
    new = copy.deepcopy(new)
    parent[place] = (key, new) if is_pairs else new


def _spots(value: Any) -> Iterator[tuple[Any, int]]:
    """Yield every (container, place) inside a JSON value."""
    if not isinstance(value, list):
        return
    for place, item in enumerate(value):
        yield value, place
        yield from _spots(item[1] if isinstance(value, Pairs) else item)


def _nasty(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(NASTY))


def _near(rng: random.Random, value: Any) -> Any:
    """Return a value that is almost the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, value - 1, -value, float(value), str(value), bool(value)))
    if isinstance(value, float):
        return rng.choice((-value, value * 2, value + 1e-9, int(value), str(value)))
    if isinstance(value, str):
        return rng.choice(
            (value + "x", value[:-1], value.upper(), value[::-1], [value], value + "\0")
        )
    return [value]
