"""The task that removes a run."""

from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import DocumentError
from studio.helper.registry import run_task


def test_remove_task_deletes_run(tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    with Document.create(path) as document:
        keep, removed_run = document.runs.add("a", {}), document.runs.add("b", {})
    run_task("remove_run", {"document": str(path), "run": removed_run})
    with Document.open(path) as document:
        assert [row.id for row in document.runs.list_all()] == [keep]
    with pytest.raises(DocumentError, match="no run 2"):
        run_task("remove_run", {"document": str(path), "run": removed_run})
