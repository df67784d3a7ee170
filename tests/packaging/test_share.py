"""Desktop integration files agree with each other and with the code."""

import configparser
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QImage

from studio.cli.entry import COMMANDS, load_command
from studio.document.store import Document
from studio.version import APPLICATION_ID, VERSION

ROOT = Path(__file__).parents[2]
SHARE = ROOT / "packaging" / "linux" / "share"
ENTRY = SHARE / "applications" / f"{APPLICATION_ID}.desktop"
METAINFO = SHARE / "metainfo" / f"{APPLICATION_ID}.metainfo.xml"
TYPES = SHARE / "mime" / "packages" / f"{APPLICATION_ID}.xml"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
TYPE = "application/x-ensemble-studio"

icons = SimpleNamespace(**run_path(str(ROOT / "packaging" / "icons.py")))
MADE: dict[Path, bytes] = icons.render_files()
man_pages = SimpleNamespace(**run_path(str(ROOT / "packaging" / "man_pages.py")))


def entry() -> dict[str, str]:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(ENTRY, "utf-8")
    return dict(read["Desktop Entry"])


def metainfo() -> ElementTree.Element:
    return ElementTree.parse(METAINFO).getroot()


def test_menu_entry_and_metainfo_agree() -> None:
    menu_entry, shop = entry(), metainfo()
    assert menu_entry["Icon"] == shop.findtext("id") == APPLICATION_ID
    assert shop.findtext("launchable") == ENTRY.name
    assert menu_entry["Name"] == shop.findtext("name") == "Ensemble Studio"
    assert menu_entry["Comment"] == shop.findtext("summary")
    assert menu_entry["MimeType"] == f"{shop.findtext('provides/mediatype')};" == f"{TYPE};"
    assert set(menu_entry["Categories"].split(";")) - {""} == {
        each.text for each in shop.iterfind("categories/category")
    }
    for name in ("GenericName", "Comment", "Keywords"):
        assert menu_entry[f"{name}[fr]"] not in {"", menu_entry[name]}


def test_releases_include_current_version_newest_first() -> None:
    releases = list(metainfo().iterfind("releases/release"))
    assert VERSION in [each.get("version") for each in releases]
    dates = [each.get("date", "") for each in releases]
    assert dates == sorted(dates, reverse=True)


def test_metainfo_screenshots_are_gallery_images() -> None:
    images = list(metainfo().iterfind("screenshots/screenshot/image"))
    assert images
    for image in images:
        picture = QImage(str(ROOT / "docs" / "gallery" / Path(image.text or "").name))
        declared_size = int(image.get("width", 0)), int(image.get("height", 0))
        assert (picture.width(), picture.height()) == declared_size


def test_document_type_is_recognised_by_content(tmp_path: Path) -> None:
    path = tmp_path / "new.studio"
    Document.create(path).close()
    content = path.read_bytes()
    root = ElementTree.parse(TYPES).getroot()
    assert root[0].get("type") == TYPE
    pattern = root.find(f"*/{MIME}glob")
    assert pattern is not None
    assert path.match(pattern.get("pattern", ""))
    header, number = root.iter(f"{MIME}match")
    value = header.get("value", "").encode().replace(rb"\0", b"\0")
    assert content.startswith(value)
    offset = int(number.get("offset", 0))
    assert content[offset : offset + 4] == int(number.get("value", ""), 16).to_bytes(4, "big")


@pytest.mark.parametrize(
    "path", sorted(MADE), ids=lambda path: str(path.relative_to(icons.PACKAGING))
)
def test_icons_match_their_source(path: Path) -> None:
    expected_icon = MADE[path]
    if path.suffix != ".png":
        # Images inside it depend on the version of Qt that made them.
        icon = path.read_bytes()
        assert icon == expected_icon if path.suffix == ".svg" else icon[:6] == expected_icon[:6]
        return
    size = int(path.parts[-3].split("x")[0])
    icon, expected_image = QImage(str(path)), QImage.fromData(expected_icon)
    assert (icon.width(), icon.height()) == (size, size)
    assert np.abs(pixels(icon) - pixels(expected_image)).mean() < 2


def themed(name: str, size: int) -> Path:
    context, file = {
        "studio": ("apps", APPLICATION_ID), "document": ("mimetypes", icons.DOCUMENT)
    }[name]  # fmt: skip
    return icons.THEME / f"{size}x{size}" / context / f"{file}.png"


def pixels(image: QImage) -> np.ndarray:
    plain = image.convertToFormat(QImage.Format.Format_ARGB32)
    return np.frombuffer(plain.constBits(), np.uint8).astype(float)


@pytest.mark.parametrize("name", ["studio", "document"])
def test_windows_and_macos_icons_contain_every_size(name: str) -> None:
    content = (icons.PACKAGING / "windows" / f"{name}.ico").read_bytes()
    sizes = [content[6 + 16 * at] or 256 for at in range(content[4])]
    assert sizes == [16, 24, 32, 48, 64, 128, 256]
    for at, size in enumerate(sizes):
        length, offset = struct.unpack_from("<II", content, 6 + 16 * at + 8)
        alone = content[:4] + b"\1\0" + content[6 + 16 * at :][:12] + struct.pack("<I", 22)
        picture = QImage.fromData(alone + content[offset : offset + length])
        assert np.abs(pixels(picture) - pixels(QImage(str(themed(name, size))))).mean() < 2
    content = (icons.PACKAGING / "macos" / f"{name}.icns").read_bytes()
    assert int.from_bytes(content[4:8], "big") == len(content)
    at, edges = 8, []
    while at < len(content):
        length = int.from_bytes(content[at + 4 : at + 8], "big")
        picture = QImage.fromData(content[at + 8 : at + length])
        edges.append(picture.width())
        assert icons.ICNS_TYPES[content[at : at + 4]] == picture.width()
        at += length
    assert set(edges) == {32, 64, 128, 256, 512}


def test_every_command_has_section_in_manual() -> None:
    text = man_pages.pages()["studio.1"].replace("\\-", "-")
    for name in COMMANDS:
        assert (f'.SS "studio {name}' in text) == bool(load_command(name).HELP)


@pytest.mark.parametrize(
    "argv",
    [("desktop-file-validate", ENTRY), ("appstreamcli", "validate", "--no-net", METAINFO)],
    ids=lambda words: f"{words[0]} {words[-1].name}",
)
def test_system_validators_pass(argv: tuple[str | Path, ...]) -> None:
    assert collect_validator_output(*argv) == ""


@pytest.mark.parametrize("page", man_pages.pages())
def test_manual_pages_are_shown_without_warnings(page: str, tmp_path: Path) -> None:
    (tmp_path / page).write_text(man_pages.pages()[page], "utf-8")
    assert collect_validator_output("man", "--warnings", "-l", tmp_path / page) == ""


def collect_validator_output(*words: str | Path) -> str:
    if shutil.which(str(words[0])) is None:
        pytest.skip(f"{words[0]} is not installed")
    process = subprocess.run(words, check=False, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stderr
