"""System-specific code for other systems, tested by simulating them."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from studio.system import files, memory, processes, screen, signals
from studio.system.screen import has_screen

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX functions")
OTHERS = ("darwin", "win32")


@pytest.fixture(params=OTHERS)
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "platform", request.param)
    return str(request.param)


def test_memory_is_measured_on_every_system(elsewhere: str) -> None:
    before = memory.get_private_memory(os.getpid())
    block = np.ones(8 << 20)
    assert 60 << 20 < memory.get_private_memory(os.getpid()) - before < 70 << 20
    assert block.all()
    assert memory.get_tree_memory(os.getpid(), [os.getpid()]) > 1.9 * before
    memory.reset_peak()
    memory.release_freed()
    assert memory.get_peak_memory() >= 0


def test_training_works_without_memory_limit(elsewhere: str) -> None:
    with processes.limit_memory(1):
        assert np.ones(8 << 20).all()


def test_resource_limits_are_skipped_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)  # importing it there is an error
    assert processes.get_address_limit() is None
    processes.disable_core_dumps()


@POSIX
def test_separate_process_leads_group_in_same_session() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        **processes.get_process_tree_options(),
    ) as child:
        assert os.getpgid(child.pid) == child.pid
        assert os.getsid(child.pid) == os.getsid(0)
        child.communicate(b"\n")
    assert processes.get_detached_options() == {}


def test_windows_processes_show_no_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x08000000, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    assert processes.get_process_tree_options() == {"creationflags": 0x08000000}
    assert processes.get_detached_options() == {"creationflags": 0x08000200}


@POSIX
def test_signal_handlers_are_installed_and_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "SIGHUP")
    before = signal.getsignal(signal.SIGTERM)
    signal_numbers = []
    restore = signals.handle_signals(
        lambda number, frame: signal_numbers.append(number), signals.TERMINATE, signals.HANG_UP
    )
    try:
        signals.ignore_signals(signals.HANG_UP)
        os.kill(os.getpid(), signal.SIGTERM)
        assert signal_numbers == [signal.SIGTERM]
        signals.ignore_signals(signals.TERMINATE)
        os.kill(os.getpid(), signal.SIGTERM)
        signals.restore_default_handlers(signals.TERMINATE)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        restore()
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (0, ""), (1, ""), (15, ""), (0xC0000005, "0xC0000005"), (0xC00000FD, "0xC00000FD"),
        (-11, "segmentation fault, signal 11"), (-200, "signal 200"),
    ],
)  # fmt: skip
def test_crash_is_distinguished_from_exit(code: int, expected: str) -> None:
    assert str(signals.describe_crash(code)) == expected


def test_windows_uses_below_normal_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    priorities = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(psutil, "BELOW_NORMAL_PRIORITY_CLASS", 0x4000, raising=False)
    monkeypatch.setattr(psutil.Process, "nice", lambda self, value: priorities.append(value))
    processes.lower_priority(12)
    assert priorities == [0x4000]


def refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "The process cannot access the file because it is being used")


@pytest.mark.parametrize("links", [True, False])
def test_rename_does_not_replace_file(
    links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refused)
    draft, target = tmp_path / "draft", tmp_path / "target"
    draft.write_text("new")
    files.rename_without_replacing(draft, target)
    assert target.read_text() == "new"
    other = tmp_path / "other"
    other.write_text("other")
    with pytest.raises(FileExistsError):
        files.rename_without_replacing(other, target)
    assert target.read_text() == "new"


def test_file_in_use_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "open.studio"
    path.touch()
    with monkeypatch.context() as pretended:
        pretended.setattr(os, "unlink", refused)
        pretended.setattr(Path, "unlink", refused)
        files.remove_if_free(path)
    assert path.exists()
    files.remove_if_free(path)
    files.remove_if_free(path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        (r"\\server\share\a.studio", True),
        (r"\\?\UNC\server\share\a.studio", True),
        (r"\\?\C:\a.studio", False),
        (r"C:\a.studio", False),
    ],
)
def test_windows_share_is_recognised_by_path(
    path: str, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not files.is_on_share(Path(path)), "elsewhere it is an ordinary name"
    monkeypatch.setattr(sys, "platform", "win32")
    assert files.is_on_share(Path(path)) == shared


def test_folder_writability_is_tested_by_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.is_writable_folder(tmp_path)
    assert not files.is_writable_folder(tmp_path / "missing")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(os, "access", lambda *_: True)
    assert files.is_writable_folder(tmp_path)
    assert not list(tmp_path.iterdir())
    assert not files.is_writable_folder(tmp_path / "missing")


def test_windows_console_host_is_not_descendant(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child,
        monkeypatch.context() as pretended,
    ):
        pretended.setattr(sys, "platform", "win32")
        assert child.pid in processes.list_descendants(os.getpid())
        pretended.setattr(psutil.Process, "name", lambda _: processes.CONSOLE)
        assert processes.list_descendants(os.getpid()) == []
        child.communicate(b"\n")


def test_offscreen_figures_use_windows_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    for name in ("QT_QPA_PLATFORM", "QT_QPA_FONTDIR"):
        monkeypatch.setenv(name, "")  # restored at the end
        monkeypatch.delenv(name)
    monkeypatch.setenv("WINDIR", "D:/Windows")
    screen.draw_in_memory()
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"
    assert Path(os.environ["QT_QPA_FONTDIR"]) == Path("D:/Windows/Fonts")


@POSIX
def test_folder_ownership_check_uses_owner_if_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.is_owned_folder(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    assert not files.is_owned_folder(tmp_path / "link")
    monkeypatch.setattr(os, "geteuid", lambda: 2**31)
    assert not files.is_owned_folder(tmp_path)
    monkeypatch.delattr(os, "geteuid")
    assert files.is_owned_folder(tmp_path)
    assert stat.S_ISDIR(tmp_path.lstat().st_mode)


def test_missing_display_is_detected_on_linux_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for system, without in (("linux", False), ("darwin", True), ("win32", True)):
        monkeypatch.setattr(sys, "platform", system)
        assert has_screen({}) is without
        assert has_screen({"WAYLAND_DISPLAY": "wayland-0"})


# Functions that Windows' Python lacks are removed after importing libraries that check for them.
WINDOWS = """
import importlib, os, signal, sys
import lightgbm, pandas, psutil, scipy.stats, sklearn.ensemble
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("SIGHUP", "SIGKILL", "SIGSTOP", "SIGCHLD", "SIGALRM", "SIGUSR1"):
    delattr(signal, name)
for name in ("fork", "geteuid", "getpgid", "getuid", "killpg", "nice", "setsid", "sysconf"):
    delattr(os, name)
sys.platform = "win32"
for name in {names!r}:
    importlib.import_module(name)
"""


@pytest.mark.slow
def test_every_module_can_be_imported_without_posix_parts() -> None:
    package = Path(__file__).parents[2] / "studio"
    window = {package / "gui", *package.glob("questions/*/view.py")}
    rooms = [path for path in package.rglob("*.py") if window.isdisjoint((path, *path.parents))]
    names = [
        ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(rooms)
        if path.name != "__main__.py"
    ]
    process = subprocess.run(
        [sys.executable, "-c", WINDOWS.format(names=names)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
