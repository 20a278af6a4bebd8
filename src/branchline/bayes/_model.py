"""A tally becomes a model: prior probabilities, and a term for each column.

Everything follows from the tally and the parameters, so a model file holds the tally alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from branchline.bayes._deferred_tally import DeferredColumns
from branchline.bayes._densities import NumberColumn, number_term
from branchline.bayes._frequencies import category_term
from branchline.bayes._gaussian_columns import GaussianColumns
from branchline.bayes._joint import Evidence, GaussianTerms
from branchline.bayes._moments import Moments
from branchline.bayes._summary import summarize
from branchline.bayes._tally import CategoryTally, NumberTally, Tally
from branchline.bayes._terms import SilentTerm, Term
from branchline.bayes._value_weights import ValueWeights
from branchline.errors import ParameterError, Repair
from branchline.table import Field, Schema

__all__ = ["Settings", "evidence_of", "is_wide", "priors_of"]

# From here on "gaussian" is at least as accurate as "kernel" (golub: 0.95 against 0.86).
_MANY_COLUMNS = 1_000
_COLUMNS_FOR_A_ROW = 10


@dataclass(frozen=True)
class Settings:
    """The parameters of a fit."""

    numeric: str | None
    alpha: float | str
    priors: Any
    n_bins: int
    variance_prior: float
    column_weight: float


def is_wide(n_rows: int, n_columns: int) -> bool:
    """Return whether ``numeric=None`` means "gaussian" for a table of this shape."""
    return n_columns >= _MANY_COLUMNS and n_columns > _COLUMNS_FOR_A_ROW * n_rows


def evidence_of(
    tally: Tally, schema: Schema, classes: npt.NDArray[Any], settings: Settings
) -> Evidence:
    """Return the model that a tally makes."""
    priors = priors_of(tally, classes, settings.priors)
    with np.errstate(divide="ignore"):
        log_prior = np.log(priors)
    how = settings.numeric
    if how is None:
        how = "gaussian" if is_wide(tally.n_rows, len(schema)) else "kernel"
    terms: Sequence[Term]
    if how == "gaussian":
        terms = _gaussian_terms(tally, schema, settings)
    else:
        terms = tuple(
            _number_term(column, tally.weight_of_unit, how, settings, log_prior)
            if isinstance(column, NumberTally)
            else _category_term(_weights(column.units, tally), field, settings)
            for column, field in zip(tally.columns, schema, strict=True)
        )
    return Evidence(log_prior, terms, settings.column_weight)


def _gaussian_terms(tally: Tally, schema: Schema, settings: Settings) -> GaussianTerms:
    """Return the terms of a table whose numeric columns are all Gaussian."""
    columns, weight = tally.columns, tally.weight_of_unit
    categories, moments = None, None
    if isinstance(columns, DeferredColumns):
        categories, moments = columns.categories, columns.moments(weight)
    if categories is None or moments is None:
        places = [place for place, one in enumerate(columns) if isinstance(one, NumberTally)]
        numbers = [one for one in columns if isinstance(one, NumberTally)]
        moments = Moments.of_tallies(places, numbers, weight)
        categories = {p: one for p, one in enumerate(columns) if isinstance(one, CategoryTally)}
    others = {
        place: _category_term(_weights(column.units, tally), schema.fields[place], settings)
        for place, column in categories.items()
    }
    gaussians = GaussianColumns.of_moments(moments, len(tally.class_units), settings.variance_prior)
    return GaussianTerms(gaussians, others, len(schema))


def priors_of(tally: Tally, classes: npt.NDArray[Any], given: Any) -> npt.NDArray[np.float64]:
    """Return the prior probability of each class; 0 for one without any row yet."""
    seen = tally.class_units > 0
    if isinstance(given, Mapping):
        weights = np.where(seen, _given_priors(given, classes), 0.0)
        weights = weights / weights.max()  # the sum of huge ones would overflow
    else:
        weights = np.where(seen, tally.class_units if given != "equal" else 1, 0).astype(np.float64)
    priors: npt.NDArray[np.float64] = weights / weights.sum()
    return priors


def _given_priors(given: Mapping[Any, Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    names = {str(name): place for place, name in enumerate(classes.tolist())}
    values = np.zeros(len(classes))
    for name, value in given.items():
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if str(name) not in names or not is_number or not 0 < float(value) < np.inf:
            raise _bad_priors(f"{name!r}: {value!r} is not", classes)
        values[names[str(name)]] = float(value)
    if (values == 0).any():
        raise _bad_priors(f"{classes[values == 0].tolist()[0]!r} is not named;", classes)
    return values


def _bad_priors(what: str, classes: npt.NDArray[Any]) -> ParameterError:
    equal = ", ".join(f"{name!r}: 1.0" for name in classes.tolist()[:20])
    return ParameterError(
        "The 'priors' parameter must give a finite number above 0 to each class of the target, "
        f"and to nothing else: {what} such a pair. The classes are {classes.tolist()[:20]!r}.",
        code="P030",
        repair=Repair(f"model.set_params(priors={{{equal}}})" if len(classes) <= 20 else None),
    )


def _number_term(
    tally: NumberTally,
    weight_of_unit: float,
    how: str,
    settings: Settings,
    log_prior: npt.NDArray[np.float64],
) -> Term:
    summary = summarize(tally, weight_of_unit)
    if summary is None:
        return SilentTerm(len(log_prior))
    assert tally.cells is not None
    values = ValueWeights.of_cells(tally.cells, weight_of_unit)
    column = NumberColumn(summary, values, settings.n_bins, settings.variance_prior)
    return number_term(column, how, log_prior)


def _weights(units: npt.NDArray[np.int64], tally: Tally) -> npt.NDArray[np.float64]:
    return np.multiply(units, tally.weight_of_unit, dtype=np.float64)


def _category_term(counts: npt.NDArray[np.float64], field: Field, settings: Settings) -> Term:
    names = [str(name) for name in field.type.categories or ()]
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
    return category_term(counts, by_name, settings.alpha)
