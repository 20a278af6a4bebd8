"""Losses of a large table: against the formulas on the whole matrix, in any blocks."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, log_softmax, softmax

from branchline._encoding._block import Options
from branchline._encoding._encoded_blocks import fit_in_blocks
from branchline.linear._block_losses import BlockLosses
from large_tables import classes_of, mixed_table


def made(n_classes, n_rows=300, rows_at_once=64):
    table, target = mixed_table(n_rows)
    blocks = replace(fit_in_blocks(table, None, Options()), rows_at_once=rows_at_once)
    truth = classes_of(target, n_classes).astype(np.uint32)
    weights = np.random.default_rng(2).random(n_rows) + 0.1
    losses = BlockLosses(blocks, truth, weights, n_classes)
    point = 0.3 * np.random.default_rng(3).standard_normal(losses.shape)
    design = np.column_stack([np.ones(n_rows), blocks.encoding.encode(table)])
    return losses, point, design, truth, weights


def test_two_classes():
    losses, point, design, truth, weights = made(2)
    found = losses.at(point, digits=2)
    scores = design @ point[0]
    chance = expit(scores)
    right = -(truth * np.log(chance) + (1 - truth) * np.log1p(-chance))
    assert found.loss == pytest.approx(weights @ right, rel=1e-13)
    np.testing.assert_allclose(found.slope[0], (weights * (chance - truth)) @ design, rtol=1e-9)
    curved = (design.T * (weights * chance * (1 - chance))) @ design
    np.testing.assert_allclose(found.curvature, curved, rtol=1e-8, atol=1e-8)
    rough = losses.at(point, digits=1).curvature
    assert np.abs(rough - curved).max() < 1e-4 * np.abs(curved).max()
    own = np.where(truth == 1, scores, -scores)
    assert (found.farthest, found.nearest) == pytest.approx((np.abs(own).max(), own.min()))


@pytest.mark.parametrize("n_classes", [3, 5])
def test_several_classes(n_classes):
    losses, point, design, truth, weights = made(n_classes)
    found = losses.at(point, digits=2)
    scores, each = design @ point.T, np.arange(len(truth))
    shares = softmax(scores, axis=1)
    right = -log_softmax(scores, axis=1)[each, truth]
    assert found.loss == pytest.approx(weights @ right, rel=1e-13)
    missed = shares - np.eye(n_classes)[truth]
    np.testing.assert_allclose(found.slope, (missed * weights[:, None]).T @ design, atol=1e-8)
    among = np.einsum("ik,kl->ikl", shares, np.eye(n_classes)) - np.einsum(
        "ik,il->ikl", shares, shares
    )
    curved = np.einsum("i,ikl,ij,im->kjlm", weights, among, design, design)
    np.testing.assert_allclose(
        found.curvature, curved.reshape(found.curvature.shape), rtol=1e-8, atol=1e-8
    )
    apart = scores[each, truth][:, None] - scores
    apart[each, truth] = np.inf
    assert found.nearest == pytest.approx(apart.min())
    assert found.farthest == pytest.approx(np.abs(apart[np.isfinite(apart)]).max())


@pytest.mark.parametrize("n_classes", [2, 4])
def test_blocks_change_no_bit(n_classes):
    one, point, *_ = made(n_classes, rows_at_once=300)
    left = one.at(point, digits=1)
    for rows_at_once in (1, 7, 299):
        right = made(n_classes, rows_at_once=rows_at_once)[0].at(point, digits=1)
        assert left.loss == right.loss
        np.testing.assert_array_equal(left.slope, right.slope)
        np.testing.assert_array_equal(left.curvature, right.curvature)


def test_what_was_not_asked_for_is_not_found():
    losses, point, *_ = made(2)
    assert losses.at(point, digits=0).curvature is None


def test_scores_beyond_all_probabilities_are_finite():
    losses, point, *_ = made(3)
    found = losses.at(1e6 * point, digits=1)
    assert np.isfinite(found.loss)
    assert np.isfinite(found.slope).all()
