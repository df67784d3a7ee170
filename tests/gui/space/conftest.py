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
    made = Session()
    made.create(tmp_path / "work.studio")
    yield made
    made.close()


@pytest.fixture
def data(session: Session, helper: Any) -> DataModel:
    return DataModel(session, helper)


@pytest.fixture
def editor(session: Session, data: DataModel) -> SpaceEditor:
    made = SpaceEditor(session, data)
    made.replace_space(load("sklearn-cash"))
    made.flush()
    return made


@pytest.fixture
def page(session: Session, data: DataModel, helper: Any, qtbot: QtBot) -> SpacePage:
    made = SpacePage(session, data, helper)
    qtbot.addWidget(made)
    made.resize(1120, 640)
    made.show()
    made.begin_with("sklearn-cash")
    made.editor.flush()
    return made
