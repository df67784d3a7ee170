"""The guide's chapters."""

from pathlib import Path

import pytest

from studio.gui.shell.frame.page_list import PAGES, WELCOME
from studio.gui.shell.help import guide
from studio.gui.shell.help.context_help import TOPICS, escape_markdown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "01-one.md").write_text(
        "# 1. Begin\n\nOpen a **table**.\n\n## Predict\n\nNew rows, and the résumé.\n", "utf-8"
    )
    (tmp_path / "02-two.md").write_text("# 2. More\n\nPredict with a table.\n", "utf-8")
    (tmp_path / "notes.md").write_text("# Not a chapter\n", "utf-8")
    return tmp_path


def test_chapters_are_in_reading_order(folder: Path) -> None:
    assert list(guide.load_chapters(folder)) == ["01-one.md", "02-two.md"]
    assert guide.get_title(guide.load_chapters(folder)["02-two.md"]) == "2. More"


def test_guide_includes_images() -> None:
    chapters = guide.load_chapters()
    assert chapters
    for text in chapters.values():
        for line in text.splitlines():
            if line.startswith("!["):
                assert (guide.GUIDE / line.split("](")[1].rstrip(")")).is_file(), line


@pytest.mark.parametrize("page", [WELCOME, *(key for key, *_ in PAGES)])
def test_pages_have_help_and_guide_chapter(page: str) -> None:
    topic = TOPICS[page]
    assert topic.description.endswith(".") and topic.steps
    assert topic.chapter in guide.load_chapters()


def test_help_escapes_plain_text() -> None:
    assert escape_markdown("a*b_<c>") == "a\\*b\\_\\<c\\>"
