"""Packing a forest: nothing is lost, little is stored, and nothing unsound comes back."""

import pickle
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from branchline._codes import MAX_CATEGORIES
from branchline._trees._codes_in_use import compacted
from branchline._trees._forest_arrays import ForestArrays
from branchline._trees._forest_state import pack_alone, pack_forest, unpack_alone, unpack_forest
from branchline._trees._packing import (
    bits_from_state,
    narrowed,
    planes_from_state,
    to_bits,
    to_planes,
)
from branchline._trees._test_state import columns_from_state
from branchline._trees._tree_arrays import LEAF
from branchline.errors import ModelFileError
from unit.forest.forests import random_forest, same_forest, schema

FORESTS = {
    "classes": {},
    "extra": {"midpoints": False},
    "number": {"n_classes": None},
    "outputs": {"n_classes": None, "n_outputs": 3, "n_trees": 9},
    "leaves": {"most_inner": 0},
    "large": {"n_trees": 30, "most_inner": 60, "n_values": 400},
}
EACH = pytest.mark.parametrize("name", FORESTS)
SEEDS = range(5)


def forest_named(name, seed=0) -> ForestArrays:
    return compacted(random_forest(seed, **FORESTS[name]))


def unpacked(forest, **changes):
    numbers = not forest.is_classification
    return unpack_forest(
        {**pack_forest(forest), **changes},
        schema(),
        n_classes=None if numbers else forest.content.shape[1],
        n_outputs=forest.content.shape[1] - 1 if numbers else 1,
    )


class TestRoundTrip:
    @EACH
    @pytest.mark.parametrize("seed", SEEDS)
    def test_the_same_bits(self, name, seed):
        forest = forest_named(name, seed)
        assert same_forest(unpacked(forest), forest)

    @EACH
    def test_codes_that_no_test_uses_are_dropped(self, name):
        forest = random_forest(3, **FORESTS[name])
        again = unpacked(forest)
        assert same_forest(again, compacted(forest))
        assert again.thresholds().tobytes() == forest.thresholds().tobytes()

    @EACH
    def test_pickle(self, name):
        forest = forest_named(name, 4)
        assert same_forest(pickle.loads(pickle.dumps(forest)), forest)

    def test_wide_numbers(self):
        forest = forest_named("classes")
        content = forest.content.astype(np.int64)
        for factor, dtype in ((2**9, np.uint16), (2**20, np.uint32), (2**40, np.int64)):
            wide = ForestArrays(**{**vars_of(forest), "content": (content * factor).astype(dtype)})
            again = unpacked(wide)
            assert again.content.dtype == dtype
            assert (again.content == wide.content).all()
            assert pickle.loads(pickle.dumps(wide)).content.dtype == dtype

    def test_sums_that_come_back_are_packed_once(self):
        forest = forest_named("number")
        few = forest.content.copy()
        few[:, 1] = np.arange(len(few)) % 3 - 1
        forest = ForestArrays(**{**vars_of(forest), "content": few})
        packed = pack_forest(forest)
        assert len(packed["sum_values"]) == 8 * 3
        assert len(packed["sum_place"]) == len(few)
        assert same_forest(unpacked(forest), forest)

    def test_bytes_a_test(self):
        """Up to 65 535 codes a column: a column, two codes of two bytes, and bits."""
        forest = forest_named("large")
        n_tests = len(forest.feature)
        packed = pack_forest(forest)
        tests = ("is_inner", "feature", "left_code", "gap", "fraction", "missing_left")
        assert sum(packed[name].nbytes for name in tests) <= 5.5 * n_tests
        assert packed["leaf_content"].nbytes == 3 * (n_tests + forest.n_trees)


def vars_of(forest):
    return {field.name: getattr(forest, field.name) for field in fields(ForestArrays)}


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


REFUSED = {
    "no trees": lambda s: {"n_nodes": s["n_nodes"][:0], "is_inner": s["is_inner"][:0]},
    "an even tree": lambda s: {"n_nodes": changed(s["n_nodes"], 0, 2)},
    "no nodes": lambda s: {"n_nodes": changed(s["n_nodes"], 0, -1)},
    "too many nodes": lambda s: {"n_nodes": changed(s["n_nodes"], 0, 2**62 + 1)},
    "another shape": lambda s: {"is_inner": changed(s["is_inner"], 0, s["is_inner"][0] ^ 1)},
    "spare bits": lambda s: {"is_inner": changed(s["is_inner"], -1, 255)},
    "no such column": lambda s: {"feature": changed(s["feature"], 0, 5)},
    "another column": lambda s: {"feature": changed(s["feature"], 0, (s["feature"][0] + 1) % 5)},
    "a test less": lambda s: {"feature": s["feature"][:-1]},
    "no left code": lambda s: {"left_code": np.zeros_like(s["left_code"])},
    "codes too far apart": lambda s: {"gap": changed(s["gap"], 0, 255)},
    "not all codes used": lambda s: {"gap": np.where(s["gap"] > 0, 1, 0).astype(np.uint8)},
    "fractions missing": lambda s: {"fraction": s["fraction"][:-1]},
    "a float": lambda s: {"unit": 0.3},
    "no unit": lambda s: {"unit": None},
    "values out of order": lambda s: {"lowest": s["lowest"][::-1].copy()},
    "a value that is no number": lambda s: {"lowest": np.full_like(s["lowest"], 255)},
    "values of categories": lambda s: {"n_values": changed(s["n_values"], 2, 1)},
    "fewer values": lambda s: {"n_values": changed(s["n_values"], 0, 1)},
    "negative counts": lambda s: {"n_values": changed(s["n_values"], 0, -1)},
    "all exact": lambda s: {"is_exact": ~s["is_exact"]},
    "no bits": lambda s: {"pool": s["pool"][:-1]},
    "bits of no category": lambda s: {"pool": np.full_like(s["pool"], 255)},
    "a pool": lambda s: {"pooling": np.zeros(3, np.int32)},
    "leaves of nothing": lambda s: {"leaf_content": np.zeros_like(s["leaf_content"])},
    "a leaf less": lambda s: {"leaf_content": s["leaf_content"][:-1]},
    "an array of another type": lambda s: {"n_nodes": s["n_nodes"].astype(np.int32)},
    "missing": lambda s: {"missing_left": None},
}


class TestRefused:
    @pytest.mark.parametrize("what", REFUSED)
    def test_what_no_fit_could_have_produced(self, what):
        forest = compacted(random_forest(2, midpoints=False, most_inner=20))
        with pytest.raises(ModelFileError) as caught:
            unpacked(forest, **REFUSED[what](pack_forest(forest)))
        assert caught.value.code == "M005"

    def test_an_infinite_threshold_and_missing_values_that_go_left(self):
        forest = compacted(random_forest(4, most_inner=40))
        is_open = (forest.kind[forest.kind != LEAF] == 1) & (forest.right_code == 0)
        assert is_open.any()
        with pytest.raises(ModelFileError, match="the same way"):
            unpacked(forest, missing_left=to_bits(forest.missing_left | is_open))

    def test_midpoints_that_are_packed(self):
        forest = forest_named("classes")
        packed = pack_forest(forest)
        cuts = np.repeat(np.uint8(128), len(packed["left_code"]))
        cuts[packed["left_code"] == 0] = 0
        with pytest.raises(ModelFileError, match="midpoints"):
            unpacked(forest, fraction=cuts)

    def test_units_beyond_any_table(self):
        forest = forest_named("classes")
        content = np.full(forest.content.size, 2**51)
        with pytest.raises(ModelFileError, match="weigh more"):
            unpacked(forest, leaf_content=to_planes(content))

    def test_sums(self):
        forest = forest_named("number")
        sums = np.full(len(forest.content), 2**61)
        packed = to_planes(sums.view(np.uint64), 8)
        with pytest.raises(ModelFileError, match="sum is out of range"):
            unpacked(forest, sum_values=packed, sum_place=np.zeros(0, np.uint8))
        place = np.zeros(len(sums), np.uint8)
        with pytest.raises(ModelFileError, match="sum is not there"):
            unpacked(forest, sum_values=packed[:0], sum_place=place)
        for values in ([1, 2], [2, 1], [1, 1]):
            two = to_planes(np.array(values).view(np.uint64), 8)
            used = place if values == [1, 2] else changed(place, 0, 1)
            with pytest.raises(ModelFileError, match="in order, or of no leaf"):
                unpacked(forest, sum_values=two, sum_place=used)

    def test_values_beyond_all_floats(self):
        forest = forest_named("number")
        with pytest.raises(ModelFileError, match="finite"):
            unpacked(forest, bits=-1000, exponent=1010)

    def test_pickles(self):
        forest = forest_named("classes")
        packed = pack_alone(forest)
        with pytest.raises(ModelFileError):
            unpack_alone([])
        for name, value in (("n_classes", -1), ("n_classes", 2.0), ("n_names", np.zeros(0, int))):
            with pytest.raises(ModelFileError):
                unpack_alone({**packed, name: value})
        for name in packed:
            with pytest.raises(ModelFileError):
                unpack_alone({key: value for key, value in packed.items() if key != name})
        with pytest.raises(ModelFileError, match="not packed"):
            forest.__setstate__({})

    def test_every_byte_changed(self):
        """What is taken is a sound forest; all else is one error."""
        forest = compacted(random_forest(5, n_trees=2, most_inner=6, midpoints=False))
        taken = 0
        for state in damaged_states(pack_forest(forest)):
            try:
                again = unpack_forest(state, schema(), n_classes=3)
            except ModelFileError:
                continue
            taken += 1
            assert same_forest(unpacked(again), again)
        assert taken > 0


def damaged_states(packed):
    for name, array in packed.items():
        if isinstance(array, np.ndarray) and array.dtype == np.uint8:
            for place, flip in product(range(len(array)), (1, 128)):
                yield {**packed, name: changed(array, place, array[place] ^ flip)}


class TestPooling:
    def columns(self, pool):
        empty = np.zeros(0, np.uint8)
        state = {"n_values": np.zeros(1, np.int64), "is_exact": np.ones(1, bool), "lowest": empty}
        state |= {"highest": empty, "pooling": pool.astype(np.int32)}
        return columns_from_state(state, np.array([len(pool)]))

    def test_comes_back(self):
        pool = np.append(np.arange(MAX_CATEGORIES - 1), [MAX_CATEGORIES - 1] * 3)
        columns = self.columns(pool)
        assert columns.n_codes.tolist() == [MAX_CATEGORIES]
        assert (columns.pooling[0] == pool).all()

    @pytest.mark.parametrize("bad", [-1, 5, MAX_CATEGORIES])
    def test_is_refused(self, bad):
        pool = np.append(np.arange(MAX_CATEGORIES - 1), [MAX_CATEGORIES - 1] * 3)
        with pytest.raises(ModelFileError, match="pooled"):
            self.columns(changed(pool, 100, bad))


class TestPacking:
    @pytest.mark.parametrize("most", [0, 1, 255, 256, 65535, 65536, 2**24, 2**32 - 1, 2**33])
    def test_planes(self, most):
        values = np.array([0, most, most // 2])
        packed = to_planes(values)
        n_planes = max(1, -(-int(most).bit_length() // 8))
        assert len(packed) == 3 * n_planes
        again = planes_from_state({"a": packed}, "a", 3)
        assert (again == values).all()
        assert again.dtype == narrowed(values).dtype

    def test_nothing(self):
        assert len(to_planes(np.zeros(0, np.int64))) == 0
        assert len(planes_from_state({"a": np.zeros(0, np.uint8)}, "a", 0)) == 0

    @pytest.mark.parametrize("size", [2, 4, 27])
    def test_planes_of_another_number_are_refused(self, size):
        with pytest.raises(ModelFileError):
            planes_from_state({"a": np.ones(size, np.uint8)}, "a", 3)

    def test_an_empty_plane_is_refused(self):
        with pytest.raises(ModelFileError, match="more bytes"):
            planes_from_state({"a": np.zeros(6, np.uint8)}, "a", 3)

    def test_bits(self):
        truths = np.array([1, 0, 0, 1, 1, 0, 1, 1, 0, 1])
        again = bits_from_state({"a": to_bits(truths)}, "a", 10)
        assert (again == truths).all()
