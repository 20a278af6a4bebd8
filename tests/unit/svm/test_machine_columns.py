"""Machines as columns are the machines that were put together."""

import numpy as np
import pytest

from branchline.svm._certificate import Certificate
from branchline.svm._machine_columns import MachineColumns
from branchline.svm._sigmoid import Sigmoid
from branchline.svm._two_class_machine import TwoClassMachine


def machine(places, *, norm=2.0, is_convex=True):
    coefficients = np.arange(1.0, 1.0 + len(places))
    about = Certificate(3.0, 2.5, 1e-4, 7, True, is_convex)
    slopes = Sigmoid(0.5, 1.5)
    return TwoClassMachine(np.array(places), coefficients, -0.25, norm, slopes, about)


def test_what_goes_in_comes_out():
    made = [machine([0, 2]), machine([], norm=0.0), machine([1], is_convex=False)]
    columns = MachineColumns.of(made)
    assert columns.sizes.tolist() == [2, 0, 1]
    for given, found in zip(made, columns, strict=True):
        assert given.pack().keys() == found.pack().keys()
        for name, value in given.pack().items():
            assert np.array_equal(value, found.pack()[name]), name
    assert columns[-1].certificate == made[2].certificate
    assert [one.bias for one in columns[1:]] == [-0.25, -0.25]
    with pytest.raises(IndexError):
        columns[3]


def test_columns_give_margins_and_gaps_as_machines_do():
    made = [machine([0, 2]), machine([], norm=0.0), machine([1], is_convex=False)]
    columns = MachineColumns.of(made)
    assert columns.margins.tolist() == [one.margin for one in made]
    assert columns.gaps[:2].tolist() == [0.5, 0.5]
    assert np.isnan(columns.gaps[2])
    assert columns.sigmoids == [one.sigmoid for one in made]


def test_there_may_be_no_machine():
    assert len(MachineColumns.of([])) == 0
    assert MachineColumns.of([]).slopes.shape == (0, 2)
