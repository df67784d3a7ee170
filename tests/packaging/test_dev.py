"""Messages of the developer tools about missing requirements."""

import ast
import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "packaging"
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bundles are for Linux")


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return packaging/dev.py with installations disabled."""
    module = importlib.import_module("dev")
    monkeypatch.setattr(module, "apt", lambda packages: None)
    return module


@pytest.fixture
def bundle(dev: ModuleType) -> ModuleType:
    """Return packaging/bundle.py, not the package of that name."""
    spec = spec_from_file_location("bundle_script", FOLDER / "bundle.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["dev.py", "bundle.py"])
@pytest.mark.parametrize("version", [(3, 6, 9), (3, 8, 0), (3, 10, 12)])
def test_old_python_is_reported(name: str, version: tuple[int, ...]) -> None:
    for each in {name, "dev.py"}:
        ast.parse((FOLDER / each).read_text("utf-8"), feature_version=version[:2])
    version_text = ".".join(map(str, version))
    pretend = (
        "import runpy, sys\n"
        f"sys.version_info, sys.version = {(*version, 'final', 0)}, '{version_text} (main)'\n"
        f"sys.path.insert(0, {str(FOLDER)!r})\n"
        f"runpy.run_path({str(FOLDER / name)!r}, run_name='__main__')\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", pretend], check=False, capture_output=True, text=True
    )
    assert process.returncode == 1
    (message,) = process.stderr.splitlines()
    assert "Python 3.11 or" in message and message.endswith(f" {version_text}.")


def test_version_check_precedes_new_syntax() -> None:
    for name, end in (("dev.py", ast.If), ("bundle.py", ast.Import)):
        for node in ast.parse((FOLDER / name).read_text("utf-8")).body:
            if isinstance(node, end) and (end is ast.If or node.names[0].name == "dev"):
                break
            modules = [each.name for each in getattr(node, "names", [])]
            is_allowed = isinstance(node, ast.Import | ast.ImportFrom | ast.Expr | ast.Assign)
            assert is_allowed and "bundle" not in modules and "studio" not in modules


def test_read_only_folder_is_reported_first(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(dev, "missing_packages", lambda *_, **__: pytest.fail("it continued"))
    with pytest.raises(SystemExit, match=r"^The folder .*-only"):
        dev.setup(for_tests=False)


def test_first_run_lists_all_missing_packages(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "find_spec", lambda name: None)
    monkeypatch.setattr(dev, "is_usable", lambda environment: False)
    monkeypatch.setattr(dev, "find_missing_libraries", list)
    monkeypatch.setattr(dev, "make_environment", lambda environment: pytest.fail("it continued"))
    with pytest.raises(SystemExit) as error_info:
        dev.setup(for_tests=True)
    sentence = str(error_info.value)
    packages = [f"python3.{sys.version_info[1]}-venv"]
    if sys.platform.startswith("linux"):
        packages += ["libgomp1", "libgl1", "libglib2.0-0", "libxcb-cursor0"]
    for each in packages:
        assert each in sentence.split()
    assert "\n" not in sentence


def test_system_packages_are_installed_during_python_packages(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installing = threading.Event()
    waits: list[bool] = []
    monkeypatch.setattr(dev, "missing_packages", lambda *_, **__: ["xvfb"])
    monkeypatch.setattr(dev, "apt", lambda packages: waits.append(installing.wait(60.0)))
    monkeypatch.setattr(dev, "make_environment", lambda environment: None)
    monkeypatch.setattr(dev, "install", lambda **_: installing.set())
    assert dev.setup(for_tests=True) == ["xvfb"]
    assert waits == [True]


@pytest.mark.slow
def test_pip_without_network_is_reported_with_one_sentence(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = {
        "INDEX_URL": "http://127.0.0.1:9/",
        "EXTRA_INDEX_URL": "",
        "RETRIES": "1",
        "CONFIG_FILE": os.devnull,
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    with pytest.raises(SystemExit, match=r"^The packages .* downloaded"):
        dev.run_pip(Path(sys.prefix), "install", "-q", "no-such-package-anywhere")
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SystemExit, match=r"the lines above"):
        dev.run_pip(Path(sys.prefix), "install", "-q", "no-such-package-anywhere")
    assert "no-such-package-anywhere" in capfd.readouterr().err


@pytest.mark.slow
def test_incomplete_environment_is_recreated(dev: ModuleType, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    library = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (library / "pip").mkdir()
    (library / "pip" / "__init__.py").touch()  # interrupted while unpacking pip
    assert not dev.is_usable(environment)
    dev.make_environment(environment)
    assert dev.is_usable(environment)
    modification_time = (environment / "pyvenv.cfg").stat().st_mtime_ns
    dev.make_environment(environment)
    assert (environment / "pyvenv.cfg").stat().st_mtime_ns == modification_time, (
        "a usable environment is kept"
    )


@LINUX
def test_build_lists_all_missing_requirements_before_start(
    bundle: ModuleType, dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(bundle, "ROOT", tmp_path)
    monkeypatch.setattr(bundle, "folder", lambda: pytest.fail("began to build"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(dev, "find_spec", lambda name: None)
    monkeypatch.setattr(dev, "is_usable", lambda environment: False)
    monkeypatch.setattr(sysconfig, "get_config_var", {"LIBDIR": "/no", "Py_ENABLE_SHARED": 1}.get)
    monkeypatch.setattr(sys, "argv", ["bundle.py"])
    with pytest.raises(SystemExit) as error_info:
        bundle.main()
    version = sysconfig.get_python_version()
    for each in ("git", "binutils", "xz-utils", f"python{version}-venv", f"libpython{version}"):
        assert each in str(error_info.value).split()


@LINUX
def test_unsupported_python_is_reported(
    bundle: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"LIBDIR": "/no", "Py_ENABLE_SHARED": 0}.get)
    with pytest.raises(SystemExit, match=r"no shared library"):
        bundle.check("all")


@LINUX
def test_build_date_is_taken_from_git_or_newest_file(
    bundle: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    last_change: Callable[[], int] = bundle.freezing.last_change
    monkeypatch.setattr(bundle.freezing, "ROOT", tmp_path)
    for name, seconds in (("new.py", 2_000_000_000), ("old.py", 1_000_000_000)):
        file = tmp_path / "studio" / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
        os.utime(file, (seconds, seconds))
    assert last_change() == 2_000_000_000
    (tmp_path / ".git").mkdir()  # not a repository
    with pytest.raises(SystemExit, match="git could not"):
        last_change()
