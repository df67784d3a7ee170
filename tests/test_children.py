"""Child processes run the same program, in any folder or bundle."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from studio import children


def test_module_runs_with_arguments_and_import_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "speaker.py").write_text("def main(*words):\n    print(*words)\n    return 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    command = children.make_module_command("speaker", "good", 1)
    process = subprocess.run(command, capture_output=True, check=False)
    assert (process.returncode, process.stdout.split()) == (3, [b"good", b"1"])


def test_child_processes_do_not_inherit_user_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "scripts" / "fit.py"
    script.parent.mkdir()
    (tmp_path / "lib").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(script), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    for entry in ("", ".", "lib", str(tmp_path), str(script.parent), "a hook"):
        monkeypatch.syspath_prepend(entry)
    search_path = children.make_safe_path()
    assert not [
        each for each in search_path if Path(each).resolve().is_relative_to(tmp_path / "lib")
    ]
    assert not {"", ".", "lib", str(tmp_path), str(script.parent)} & set(search_path)
    assert "a hook" in search_path


@pytest.mark.slow
def test_uninstalled_checkout_can_start_itself(tmp_path: Path) -> None:
    # Without site-packages, only explicitly passed paths are searched.
    begin = [sys.executable, "-I", "-S", "-c"]
    root = Path(children.__file__).parents[1]
    code = (
        f"import sys; sys.path.append({str(root)!r}); from studio import children; "
        "import json; print(json.dumps(children.make_studio_command('--version')))"
    )
    lookup_process = subprocess.run([*begin, code], capture_output=True, check=True, cwd=tmp_path)
    command = json.loads(lookup_process.stdout)
    (tmp_path / "studio.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run(
        [command[0], "-S", *command[1:]], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout.startswith("Ensemble Studio"), done.stderr


def test_child_path_excludes_current_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "lib", str(tmp_path)]))
    environment = children.make_process_environment(MORE="1")
    assert environment["PYTHONPATH"] == str(tmp_path)
    assert (environment["MORE"], environment["PYTHONSAFEPATH"]) == ("1", "1")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Simulate a bundle with this checkout as command."""
    launcher = Path(children.__file__).parents[1] / "packaging" / "bundle" / "launcher.py"
    command = tmp_path / "bundle" / "studio"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P "{launcher}" "$@"\n')
    command.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(command.with_name("ensemble-studio")))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    return command


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the simulated bundle is a shell script")
def test_bundle_starts_bundled_executable(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "speaker.py").write_text("main = print\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    code = (
        "import sys; print(sys.argv, [each for each in sys.modules if each.startswith('studio')])"
    )
    command_by_output = {
        "Ensemble Studio": children.make_studio_command("--version"),
        "['-c', 'one', '2'] []": children.make_code_command(code, "one", "2"),
        "three 4": children.make_module_command("speaker", "three", 4),
    }
    for expected_output, command in command_by_output.items():
        assert command[0] == str(bundle)
        process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert process.stdout.startswith(expected_output), process.stderr


def test_child_environment_excludes_bundle_variables(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", str(bundle.parent))
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/opt/mine")
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", str(bundle))
    children.clean_bundle_env()
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/mine"
    assert not [each for each in os.environ if each.startswith("_PYI_") or "ORIG" in each]
    monkeypatch.setenv("LD_LIBRARY_PATH", str(bundle.parent))
    children.clean_bundle_env()
    assert "LD_LIBRARY_PATH" not in os.environ
