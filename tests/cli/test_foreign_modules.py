"""Python files in the user's working folder are never run, by any process.

The working folder contains a file for every known module name, which leaves a marker if it is run.
An import of an unknown name leaves it as well if it would search the folder.
"""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STUDIO = Path(sys.executable).with_name("studio")

RECORDER = """
import os, sys
searched = {{}}
class Recorder:
    def find_spec(self, name, path=None, target=None):
        if path is None:
            with open({asked!r}, "a") as file:
                file.write(name + "\\n")
            places = (os.getcwd(), *sys.path)
            if places not in searched:
                searched[places] = {folders!r} & {{os.path.abspath(place) for place in sys.path}}
            if searched[places]:
                with open({marker!r}, "a") as file:
                    file.write(name + " of " + repr(sys.orig_argv) + "\\n")
sys.meta_path.insert(0, Recorder())
"""

PLANT = "open({marker!r}, 'a').write(__name__ + ' of ' + repr(__import__('sys').orig_argv) + '\\n')"

WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from studio.gui.app import make_app
from studio.gui.base.command_job import CommandJob
from studio.gui.shell.window import MainWindow
app = make_app()
window = MainWindow()
window.show()
window.session.open(Path(sys.argv[1]))
window.show_page("live")
window.session.control.send_request(1, "budget", 3)
window.session.control.send_request(1, "continue")
jobs = []
def look():
    view = window.session.runs.get_view(1)
    if not jobs and len(view.trials) == 3 and view.row.state == "finished":
        assert window.helper.quick_process.has_process
        jobs.append(CommandJob(["predict", sys.argv[1], "t.csv", "-o", "w.csv", "--json"]))
        jobs[0].done.connect(lambda told: app.exit(0))
        jobs[0].failed.connect(lambda told: app.exit(3))
        jobs[0].start()
timer = QTimer(interval=100)
timer.timeout.connect(look)
timer.start()
code = app.exec()
window.helper.close()
sys.exit(code)
"""

STARTUP_MODULES = {"studio", "sitecustomize", "usercustomize"}
"""Modules imported by Python itself, or by the start of a process by name."""


def work(folder: Path, environment: dict[str, str]) -> None:
    """Run, export, compare, open and (in the window) predict in a working folder."""
    rows = [f"{i % 7},{(i * 5) % 11},{'ab'[(i % 7) > 3]}" for i in range(60)]
    (folder / "t.csv").write_text("p,q,target\n" + "\n".join(rows) + "\n")
    (folder / "tables").mkdir()
    (folder / "tables" / "u.csv").write_text("p,q,target\n" + "\n".join(rows) + "\n")
    command_lines = [
        # With a surrogate and suggestions made ahead, so that all kinds of processes take part.
        "run t.csv -o w.studio --method BO-best --budget 2 --workers 1 --no-refit "
        "--set proposer.ahead=true",
        # One format is enough: the search path is set before the format is known.
        "export w.studio --pickle m.pkl",
        "compare tables -o c.studio --methods RS --spaces svm-rbf --budget 1 --repetitions 1 "
        "--workers 1",
    ]
    commands = [[str(STUDIO), *each.split()] for each in command_lines]
    # Only the user can control what "python -m" itself loads first (-P).
    commands += [[sys.executable, "-P", "-c", WINDOW, "w.studio"]]
    for command in commands:
        process = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert process.returncode == 0, (command, process.stderr)


def create_special_file(folder: Path, names: set[str]) -> Path:
    marker = folder / "marker.txt"
    for name in names:
        (folder / f"{name}.py").write_text(PLANT.format(marker=str(marker)))
    return marker


def test_modules_in_working_folder_are_not_imported(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    there = STARTUP_MODULES | set(sys.stdlib_module_names) | set(packages_distributions())
    marker = create_special_file(tmp_path, there)
    beside = tmp_path_factory.mktemp("recorder")
    import_log = beside / "asked.txt"
    folders = {str(tmp_path), str(tmp_path / "tables")}
    (beside / "sitecustomize.py").write_text(
        RECORDER.format(asked=str(import_log), folders=folders, marker=str(marker))
    )
    work(tmp_path, {**os.environ, "PYTHONPATH": str(beside)})
    assert not marker.exists(), marker.read_text()
    assert {"numpy", "sklearn", "json", "psutil", "PySide6"} <= set(import_log.read_text().split())


def test_current_folder_is_removed_from_import_path(tmp_path: Path) -> None:
    marker = create_special_file(
        tmp_path, {"json", "argparse", "numpy", "psutil", "sqlite3", "pandas"}
    )
    process = subprocess.run(
        [sys.executable, "-m", "studio", "spaces"], cwd=tmp_path, capture_output=True, check=False
    )
    assert process.returncode == 0
    assert not marker.exists(), marker.read_text()
