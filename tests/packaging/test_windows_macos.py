"""Packages for Windows and macOS, tested without these systems."""

import plistlib
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from studio.gui.base.user_paths import SUFFIX

PACKAGING = Path(__file__).parents[2] / "packaging"

installer = SimpleNamespace(**run_path(str(PACKAGING / "windows" / "installer.py")))
plist = SimpleNamespace(**run_path(str(PACKAGING / "macos" / "info_plist.py")))


@pytest.mark.slow
def test_windows_installer_compiles_without_warning(tmp_path: Path) -> None:
    if shutil.which("makensis") is None:
        pytest.skip("NSIS is not installed")
    installer_file = tmp_path / "made.exe"
    script = PACKAGING / "windows" / "installer.py"
    process = subprocess.run(
        [sys.executable, str(script), "--stand-in", "-o", str(installer_file)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert installer_file.read_bytes()[:2] == b"MZ"


def test_uninstaller_removes_installed_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "_internal" / "Qt").mkdir(parents=True)
    (tmp_path / "studio.exe").touch()
    (tmp_path / "a$b.txt").touch()
    lines = [line.split(maxsplit=1) for line in installer.removals(tmp_path).splitlines()]
    assert lines == [
        ["RMDir", r'/r "$INSTDIR\_internal"'],
        ["Delete", r'"$INSTDIR\a$$b.txt"'],
        ["Delete", r'"$INSTDIR\studio.exe"'],
    ]


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("0.2.0", "0.2.0.0"), ("1.2.3.4.5", "1.2.3.4"), ("1.0rc1", "1.0.0.0"), ("x", "0.0.0.0")],
)
def test_version_is_converted_to_four_windows_numbers(version: str, numbers: str) -> None:
    assert installer.numbers(version) == numbers


def test_folder_without_executables_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"ensemble-studio\.exe"):
        installer.compile_installer(tmp_path, "0.2.0", tmp_path / "made.exe")


def test_macos_bundle_is_registered_for_its_documents_only() -> None:
    property_list = plistlib.loads(plistlib.dumps(plist.info_plist()))
    (declared,) = property_list["UTExportedTypeDeclarations"]
    owned = [
        each for each in property_list["CFBundleDocumentTypes"] if each["LSHandlerRank"] == "Owner"
    ]
    assert property_list["LSBackgroundOnly"] is False, "it has a window"
    assert [each["LSItemContentTypes"] for each in owned] == [[declared["UTTypeIdentifier"]]]
    tags = declared["UTTypeTagSpecification"]
    assert tags["public.filename-extension"] == [SUFFIX.removeprefix(".")]
    assert tags["public.mime-type"] == ["application/x-ensemble-studio"]
    for holder, key in ((owned[0], "CFBundleTypeIconFile"), (declared, "UTTypeIconFile")):
        assert (PACKAGING / "macos" / holder[key]).is_file()


SIMULATED_PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$(basename "$0")" in
  ditto) cp -R "$1" "$2" ;;
  hdiutil) ls -l "$5" >> "{log}"; echo image > "$(eval echo \\"\\${{$#}}\\")" ;;
esac
"""


@pytest.mark.skipif(sys.platform == "win32", reason="simulates programs by shell scripts")
def test_disk_image_contains_signed_application_and_applications_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    for name in ("codesign", "ditto", "hdiutil"):
        script = tmp_path / name
        script.write_text(SIMULATED_PROGRAM.format(log=log))
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    app = tmp_path / "Ensemble Studio.app"
    (app / "Contents").mkdir(parents=True)
    (app / "Contents" / "Info.plist").touch()
    image = tmp_path / "out" / "made.dmg"
    dmg_module = SimpleNamespace(**run_path(str(PACKAGING / "macos" / "dmg.py")))
    dmg_module.make(app, image)
    assert image.read_text() == "image\n"
    log_text = log.read_text()
    assert log_text.index("codesign --force --deep ") < log_text.index("ditto ")
    assert "Applications -> /Applications" in log_text
    assert " Ensemble Studio.app" in log_text.partition("hdiutil create")[2]
