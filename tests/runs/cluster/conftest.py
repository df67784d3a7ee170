"""Clusters for the tests of trials."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.small_clusters import Cluster, started


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a separate cluster, for tests that damage it."""
    yield from started(tmp_path)


@pytest.fixture(scope="module")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a shared cluster for tests without side effects.

    Its working folder contains files named like modules, which write ``marker`` if they are run.
    """
    folder = tmp_path_factory.mktemp("cluster")
    for name in ("json", "numpy", "studio", "psutil", "importlib"):
        planted = f"open({str(folder / 'marker')!r}, 'a').write('{name} ')\n"
        (folder / f"{name}.py").write_text(planted)
    yield from started(folder)
