"""The coordinator of a study, in its document and in a copy."""

import shutil
from pathlib import Path

from studio.compare.coordinator import StudyHeartbeat, load_coordinator
from studio.document.store import Document


def test_copy_of_running_study_has_no_coordinator(tmp_path: Path) -> None:
    path, copy = tmp_path / "study.studio", tmp_path / "copy.studio"
    with Document.create(path) as document:
        StudyHeartbeat(document, 2).report(stage="working")
    with Document.open(path) as document:
        document.notes.set("a", 1)
        coordinator = load_coordinator(document)
        assert coordinator is not None
        assert coordinator.is_alive
    shutil.copyfile(path, copy)
    with Document.open(copy) as document:
        coordinator = load_coordinator(document)
        assert coordinator is not None
        assert (coordinator.stage, coordinator.is_alive) == ("stopped", False)
