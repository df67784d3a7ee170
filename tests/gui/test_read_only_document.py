"""Read-only documents can be viewed, used for predictions, exported and copied."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio import children
from studio.cli.entry import main
from studio.document.store import Document
from studio.gui.session.session import Session
from studio.gui.shell.window import MainWindow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="makes folders read-only as Linux does"),
]


@pytest.fixture(scope="module")
def document_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table and the document of a finished run."""
    folder = tmp_path_factory.mktemp("made")
    rows = [f"{i % 7},{(i * 5) % 11},{'ab'[(i % 7) > 3]}" for i in range(60)]
    (folder / "t.csv").write_text("p,q,target\n" + "\n".join(rows) + "\n")
    command = ["run", str(folder / "t.csv"), "--method", "RS", "--budget", "2", "--workers", "1"]
    assert main([*command, "--quiet", "-o", str(folder / "w.studio")]) == 0
    return folder


@pytest.fixture(params=["whole", "with a log"])
def document(
    request: pytest.FixtureRequest, document_folder: Path, tmp_path: Path
) -> Iterator[Path]:
    """Return a document in a read-only folder, also for privileged users."""
    folder = tmp_path / "medium"
    folder.mkdir()
    path = folder / "w.studio"
    path.write_bytes((document_folder / "w.studio").read_bytes())
    if request.param == "with a log":
        with Document.open(path) as writable_document:
            writable_document.notes.set("left", "in the log")
            file_contents = {
                name: (folder / name).read_bytes() for name in ("w.studio", "w.studio-wal")
            }
        for name, content in file_contents.items():
            (folder / name).write_bytes(content)
    content = {each.name: each.read_bytes() for each in folder.iterdir()}
    _make_read_only(folder)
    try:
        yield path
    finally:
        _make_writable(folder)
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == content


def _make_read_only(folder: Path) -> None:
    if os.geteuid() != 0:
        for each in folder.iterdir():
            each.chmod(0o444)
        folder.chmod(0o555)
        return
    # Permissions do not restrict the superuser; a read-only medium does.
    for command in (["--bind", folder, folder], ["-o", "remount,ro,bind", folder]):
        if subprocess.run(["mount", *command], capture_output=True, check=False).returncode:
            subprocess.run(["umount", folder], capture_output=True, check=False)
            pytest.skip("no read-only medium can be made here for the superuser")


def _make_writable(folder: Path) -> None:
    if os.geteuid() != 0:
        folder.chmod(0o755)
    else:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize(
    ("document", "command_line"),
    [
        *((each, "show {document}") for each in ("whole", "with a log")),
        *((each, "predict {document} {table} -o p.csv") for each in ("whole", "with a log")),
        ("with a log", "export {document} --pickle m.pkl"),
        ("whole", "export {document} --format report -o r.html"),
        ("with a log", "export {document} --format trials -o t.csv"),
    ],
    indirect=["document"],
)
def test_read_actions_work_on_read_only_document(
    command_line: str,
    document: Path,
    document_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = command_line.format(document=document, table=document_folder / "t.csv").split()
    assert main(arguments) == 0
    assert "-o" not in arguments or (tmp_path / arguments[-1]).stat().st_size > 0


@pytest.mark.parametrize("document", ["with a log"], indirect=True)
def test_screenshot_works_with_read_only_document(document: Path, tmp_path: Path) -> None:
    command = children.make_studio_command("picture", document, "-o", "w.png")
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "w.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command_line", ["resume {document} --budget 3", "refit {document}"])
def test_write_actions_are_rejected_on_read_only_document(
    command_line: str, document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command_line.format(document=document).split()) == 1
    assert "read-only" in capsys.readouterr().err


def test_read_only_document_can_be_viewed_and_copied(
    document: Path, tmp_path: Path, qtbot: QtBot, helper: Any
) -> None:
    messages: list[str] = []
    session = Session()
    session.failed.connect(messages.append)
    window = MainWindow(session, helper)
    qtbot.addWidget(window, before_close_func=lambda _: session.close())
    window.show()
    window.opening.open_path(document)
    for page in ("data", "space", "run", "live", "results"):
        window.show_page(page)
        qtbot.wait(20)
    session.set_note("page", "mine")
    assert session.read_note("page") == "mine"
    assert [len(view.trials) for view in session.runs.views] == [2]
    assert messages == []
    session.control.send_request(1, "budget", 5)
    session.control.send_request(1, "continue")
    assert len(messages) == 2 and all("read-only" in each for each in messages)
    has_log = document.with_name("w.studio-wal").exists()
    window.documents.save_to(tmp_path / "copy.studio")
    assert session.path == tmp_path / "copy.studio"
    assert session.document.writable
    assert session.read_note("left") == ("in the log" if has_log else None)
