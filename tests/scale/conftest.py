"""One cluster of three processes for all tests of this folder."""

from collections.abc import Iterator
from typing import Any

import distributed
import pytest


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def all_workers(client: Any) -> None:
    """Every test begins with three workers, whatever the last one did to them."""
    client.wait_for_workers(3, timeout=60)
