"""A session with a new document, and its space page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.drafts.data_model import DataModel
from studio.gui.pages.space.editor import SpaceEditor
from studio.gui.pages.space.page import SpacePage
from studio.gui.session.session import Session
from studio.space.library import load


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    new_session = Session()
    new_session.create(tmp_path / "work.studio")
    yield new_session
    new_session.close()


@pytest.fixture
def data(session: Session, helper: Any) -> DataModel:
    return DataModel(session, helper)


@pytest.fixture
def editor(session: Session, data: DataModel) -> SpaceEditor:
    space_editor = SpaceEditor(session, data)
    space_editor.replace_space(load("sklearn-cash"))
    space_editor.flush()
    return space_editor


@pytest.fixture
def page(session: Session, data: DataModel, helper: Any, qtbot: QtBot) -> SpacePage:
    space_page = SpacePage(session, data, helper)
    qtbot.addWidget(space_page)
    space_page.resize(1120, 640)
    space_page.show()
    space_page.begin_with("sklearn-cash")
    space_page.editor.flush()
    return space_page
