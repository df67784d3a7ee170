"""The conductor of a study, in its document and in a copy."""

import shutil
from pathlib import Path

from studio.compare.conductor import StudyHeartbeat, load_conductor
from studio.document.store import Document


def test_copy_of_running_study_has_no_conductor(tmp_path: Path) -> None:
    path, copy = tmp_path / "study.studio", tmp_path / "copy.studio"
    with Document.create(path) as document:
        StudyHeartbeat(document, 2).beat(stage="working")
    with Document.open(path) as document:
        document.notes.set("a", 1)
        conductor = load_conductor(document)
        assert conductor is not None
        assert conductor.is_alive
    shutil.copyfile(path, copy)
    with Document.open(copy) as document:
        conductor = load_conductor(document)
        assert conductor is not None
        assert (conductor.stage, conductor.is_alive) == ("stopped", False)
