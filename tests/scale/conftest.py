"""One cluster of three processes for all tests of this folder."""

from collections.abc import Iterator
from typing import Any

import distributed
import pytest

N_WORKERS = 3


@pytest.fixture(scope="session")
def started() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def client(started: Any) -> Any:
    """Return a client with all workers, whatever the last test did to them."""
    started.wait_for_workers(N_WORKERS, timeout=300)
    return started
