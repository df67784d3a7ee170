"""File dialogs in the folder of an open document keep its locks."""

import subprocess
import sys
from pathlib import Path

import pytest

from studio.document.store import Document

LOOK = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog
from studio.document.store import Document
from studio.gui.app import make_app

app, path = make_app(), Path(sys.argv[1])


def locked():
    inodes = [f":{each.stat().st_ino} " for each in (path, Path(f"{path}-shm"))]
    lines = Path("/proc/locks").read_text().splitlines()
    return [any(inode in line for line in lines) for inode in inodes]


with Document.open(path) as document:
    assert locked() == [True, True], "before"
    dialog = QFileDialog(None, "Open", str(path.parent), "Tables (*.csv)")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    # All that it shows has its icon when the last file, which sorts behind the others, has one.
    dialog.show()
    shown = dialog.findChild(object, "treeView").model()
    for _ in range(200):
        QTimer.singleShot(50, app.quit)
        app.exec()
        root = dialog.findChild(object, "treeView").rootIndex()
        names = {shown.index(row, 0, root).data() for row in range(shown.rowCount(root))}
        if "z.csv" in names:
            break
    else:
        raise AssertionError(names)
    QTimer.singleShot(500, app.quit)
    app.exec()
    assert locked() == [True, True], "after"
    dialog.close()
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/locks")
def test_file_dialog_keeps_document_locks(tmp_path: Path) -> None:
    Document.create(tmp_path / "work.studio").close()
    (tmp_path / "z.csv").write_text("a,b\n1,2\n")
    argv = [sys.executable, "-c", LOOK, str(tmp_path / "work.studio")]
    process = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
