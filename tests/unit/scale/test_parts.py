"""Parts of the rows as sessions: the same model whatever is lost, late or told twice."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchline._part_rounds import RoundWork, round_engine
from branchline.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from branchline.errors import ClusterError, ParameterError
from branchline.scale import _parts, _round_session, _session
from branchline.scale._checkpoints import Checkpoints
from branchline.scale._listener import Listener
from branchline.scale._messages import Kind, Line, Message
from branchline.scale._parts import Parts
from branchline.table import Table, as_table
from parted_rounds import ThreadPlacement, fail_by

N = 400


@pytest.fixture(scope="module")
def rows() -> tuple[Table, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 4))
    kind = rng.choice(["u", "v", "w"], N)
    y = X[:, 0] + X[:, 1] * X[:, 2] + (kind == "u") + rng.normal(size=N) > 0
    given = {name: X[:, place] for place, name in enumerate("abcd")}
    return as_table({**given, "kind": kind}), y.astype(str)


@contextlib.contextmanager
def parted(n_parts: int, patience: float = 30.0, rounds: Any = ()) -> Iterator[list[Parts]]:
    """Let fits in this block be made by sessions in threads."""
    listener, placement, made = Listener("127.0.0.1"), ThreadPlacement(), []

    def begin(work: RoundWork) -> Parts:
        given: dict[str, Any] = {"n_parts": n_parts, "block_rows": 16384, "patience": patience}
        made.append(Parts(work, placement, listener, rounds=list(rounds), **given))  # type: ignore[arg-type]
        return made[-1]

    try:
        with round_engine(begin):
            yield made
    finally:
        for one in made:
            one.close()
        listener.close()


def model() -> GradientBoostingClassifier:
    return GradientBoostingClassifier(n_estimators=4)


def saved(fitted: Any, path: Path) -> bytes:
    fitted.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def alone(rows: Any, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return saved(model().fit(*rows), tmp_path_factory.mktemp("alone") / "model")


@pytest.mark.parametrize("n_parts", [1, 2, 5])
def test_any_number_of_parts_gives_the_same_bytes(
    n_parts: int, rows: Any, alone: bytes, tmp_path: Path
) -> None:
    with parted(n_parts) as made:
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    traffic = made[0].traffic
    assert traffic.n_restarts == 0
    assert traffic.n_exchanges > 4
    assert traffic.n_bytes > 0


@pytest.mark.parametrize("place", ["load", "code", "exchange 0", "exchange 9", "leaf update"])
def test_a_session_that_is_lost_is_made_up_for(
    place: str, rows: Any, alone: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, n_lost = threading.Lock(), []

    def fail(where: str) -> None:
        with lock:
            if where == place and len(n_lost) < 2:
                n_lost.append(where)
                raise ConnectionError

    fail_by(monkeypatch, fail)
    with parted(3) as made:
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    assert made[0].traffic.n_restarts == 2


def test_a_session_that_is_silent_is_replaced_and_its_late_answers_are_not_counted(
    rows: Any, alone: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, silent = threading.Lock(), []
    monkeypatch.setattr(_session, "_beat", lambda line, ended: None)

    def fail(where: str) -> None:
        with lock:
            is_first = where == "exchange 5" and not silent
            silent.extend([where] if is_first else [])
        if is_first:
            time.sleep(3)  # then it tells its numbers, although another one has told them

    fail_by(monkeypatch, fail)
    with parted(2, patience=1.0) as made:
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    assert made[0].traffic.n_restarts >= 1


def test_numbers_that_are_told_twice_are_counted_once(
    rows: Any, alone: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, told = Line.send, []

    def send_twice(line: Line, kind: Kind, number: int = 0, *parts: Any) -> None:
        send(line, kind, number, *parts)
        if kind == Kind.gather and number == 4 and not told:
            told.append(number)
            send(line, kind, number, *parts)

    monkeypatch.setattr(Line, "send", send_twice)
    with parted(2):
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    assert told


def test_a_damaged_message_ends_its_session_only(
    rows: Any, alone: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, damaged = _round_session.LineExchange._ask, []

    def damage(exchange: Any, kind: Kind, values: Any) -> None:
        if not damaged:
            damaged.append(True)
            exchange._line._link.sendall(b"x" * 32)
        ask(exchange, kind, values)

    monkeypatch.setattr(_round_session.LineExchange, "_ask", damage)
    with parted(2) as made:
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    assert made[0].traffic.n_restarts == 1


def test_a_part_that_is_lost_again_and_again_ends_the_fit(
    rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_parts, "_PAUSE", 0.0)

    def fail(where: str) -> None:
        if where == "code":
            raise ConnectionError

    fail_by(monkeypatch, fail)
    with parted(2), pytest.raises(ClusterError) as caught:
        model().fit(*rows)
    assert caught.value.code == "X015"


def test_a_part_may_be_lost_in_every_round(
    rows: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_passed = []

    def fail(where: str) -> None:
        if where == "leaf update":
            n_passed.append(where)
            if len(n_passed) % 2:
                raise ConnectionError

    def fitted() -> bytes:
        return saved(GradientBoostingClassifier(n_estimators=12).fit(*rows), tmp_path / "model")

    alone = fitted()
    fail_by(monkeypatch, fail)
    with parted(1) as made:
        assert fitted() == alone
    assert made[0].traffic.n_restarts == 12


def test_parts_that_grow_different_trees_are_told(
    rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_round_session, "digest_of", lambda grown: b"other trees")
    with parted(2), pytest.raises(ClusterError) as caught:
        model().fit(*rows)
    assert caught.value.code == "X016"


def test_scores_without_end_are_told_as_without_a_cluster(rows: Any) -> None:
    X, _ = rows
    growing = GradientBoostingRegressor(n_estimators=60, learning_rate=1e30, subsample=1.0)
    with parted(2), pytest.raises(ParameterError) as caught:
        growing.fit(X, X.column("a").numbers())
    assert caught.value.code == "P156"


def test_rounds_are_kept_and_continued(rows: Any, alone: bytes, tmp_path: Path) -> None:
    with parted(2) as made:
        model().fit(*rows)
    kept = Checkpoints(tmp_path / "kept", 2, resume=True)
    digest, rounds = made[0].work.digest(), made[0].rounds
    for n_done in range(1, 4):
        kept.write(digest, rounds[:n_done])
    known = kept.read(digest)
    assert len(known) == 2
    assert kept.read("of other rows") == []
    assert Checkpoints(tmp_path / "kept", 2, resume=False).read(digest) == []
    with parted(3, rounds=known) as again:
        assert saved(model().fit(*rows), tmp_path / "model") == alone
    assert again[0].traffic.n_exchanges < made[0].traffic.n_exchanges


def test_early_stopping_is_continued_to_the_same_bytes(rows: Any, tmp_path: Path) -> None:
    def stopping(**given: Any) -> GradientBoostingClassifier:
        return GradientBoostingClassifier(n_estimators=12, patience=3, **given)

    alone = saved(stopping(early_stopping=True).fit(*rows), tmp_path / "alone")
    with parted(2) as made:
        assert saved(stopping(early_stopping=True).fit(*rows), tmp_path / "model") == alone
    half = made[0].rounds[:4]
    with parted(3, rounds=half) as again:
        assert saved(stopping(early_stopping=True).fit(*rows), tmp_path / "model") == alone
    assert again[0].traffic.n_exchanges < made[0].traffic.n_exchanges
    unmeasured = [{**one, "validation_loss": one["validation_loss"][:0]} for one in half]
    with parted(3, rounds=unmeasured) as remade:
        assert saved(stopping(early_stopping=True).fit(*rows), tmp_path / "model") == alone
    assert remade[0].traffic.n_exchanges == made[0].traffic.n_exchanges


def test_a_damaged_checkpoint_is_made_again(rows: Any, tmp_path: Path) -> None:
    with parted(1) as made:
        model().fit(*rows)
    kept = Checkpoints(tmp_path, 2, resume=True)
    kept.write("work", made[0].rounds[:2])
    kept.write("work", made[0].rounds[:4])
    (last,) = tmp_path.glob("000002-*")
    last.write_bytes(last.read_bytes()[:-40])
    with pytest.warns(UserWarning, match="damaged"):
        assert len(kept.read("work")) == 2


def test_there_are_no_more_sessions_than_rows(rows: Any) -> None:
    X, y = rows
    few = X.rows(np.arange(30))
    with parted(50) as made:
        model().fit(few, y[:30])
    assert len(made[0].rounds) == 4


def test_trees_that_come_twice_are_not_taken_for_those_of_the_next_round() -> None:
    parts, part = Parts.__new__(Parts), _parts._Part(begin=0, end=1)
    parts._order, parts._log = (Kind.run, 1), []
    parts.heed(part, Message(Kind.made, 0, 0, bytearray(b"of round 0")))
    assert part.made is None
    own = Message(Kind.made, 0, 1, bytearray(b"of round 1"))
    parts.heed(part, own)
    assert part.made is own
