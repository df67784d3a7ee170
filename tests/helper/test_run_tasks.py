"""The task that removes a run."""

from pathlib import Path

import pytest

from studio.document.store import Document
from studio.errors import DocumentError
from studio.helper.registry import run_task


def test_task_removes_run(tmp_path: Path) -> None:
    path = tmp_path / "w.studio"
    with Document.create(path) as document:
        keep, gone = document.runs.add("a", {}), document.runs.add("b", {})
    run_task("remove_run", {"document": str(path), "run": gone})
    with Document.open(path) as document:
        assert [row.id for row in document.runs.list_all()] == [keep]
    with pytest.raises(DocumentError, match="no run 2"):
        run_task("remove_run", {"document": str(path), "run": gone})
