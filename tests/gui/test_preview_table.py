"""The preview of the table."""

from dataclasses import replace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.gui.pages.data.column_choices import make_column_tooltip
from studio.gui.pages.data.preview_table import ColumnHeader, PreviewTable
from studio.helper.preview import Preview
from studio.helper.preview import preview as preview_task
from studio.helper.table_spec import TableSpec


@pytest.fixture
def preview(tmp_path: Any) -> Preview:
    path = tmp_path / "t.csv"
    path.write_text("id,size,kind,target\n1,1.5,a,x\n2,,b,y\n3,2.5,a,x\n4,3.5,b,y\n", "utf-8")
    return preview_task(TableSpec(path))


def get_roles(table: PreviewTable, column: int) -> dict[str, Any]:
    """Return the entries of a column's menu by role: "… (time)"."""
    actions = table.header.make_choices_menu(column).actions()
    return {each.text().rpartition("(")[2].rstrip(")"): each for each in actions}


def with_roles(preview: Preview, **roles: Any) -> Preview:
    """Return the same table with other roles by column name."""
    columns = tuple(replace(each, role=roles.get(each.name, each.role)) for each in preview.columns)
    return replace(preview, columns=columns)


def test_preview_table_passes_model_tester(
    preview: Preview, qtmodeltester: Any, qtbot: QtBot
) -> None:
    table = PreviewTable()
    qtbot.addWidget(table)
    table.show_preview(preview)
    qtmodeltester.check(table.preview)
    assert table.preview.index(1, 1).data() == "–"


def test_target_column_is_first(preview: Preview, qtbot: QtBot) -> None:
    table = PreviewTable()
    qtbot.addWidget(table)
    table.show_preview(preview)
    assert table.header.visualIndex(3) == 0
    roles = {"kind": "target"}
    table.show_preview(with_roles(preview, **{**dict.fromkeys(preview.names, "feature"), **roles}))
    assert table.header.visualIndex(2) == 0
    assert table.header.visualIndex(3) == 3
    table.resize(700, 300)
    assert not table.grab().isNull()
    table.show_preview(None)
    assert table.preview.columnCount() == 0


def test_column_menu_lists_roles_and_kinds(preview: Preview, qtbot: QtBot) -> None:
    table = PreviewTable()
    qtbot.addWidget(table)
    table.show_preview(preview)
    column_choices: list[tuple[str, str]] = []
    table.header.role_requested.connect(lambda name, role: column_choices.append((name, role)))
    table.header.kind_requested.connect(lambda name, kind: column_choices.append((name, kind)))
    menu = table.header.make_choices_menu(1)
    for action in menu.actions():
        if not action.isSeparator():
            action.trigger()
    assert column_choices == [
        ("size", "target"),
        ("size", "feature"),
        ("size", "ignore"),
        ("size", "group"),
        ("size", "time"),
        ("size", "weight"),
        ("size", "number"),
        ("size", "category"),
        ("size", "date"),
        ("size", "text"),
    ]


def test_group_and_time_roles_are_mutually_exclusive(preview: Preview, qtbot: QtBot) -> None:
    preview = with_roles(preview, kind="group")
    table = PreviewTable()
    qtbot.addWidget(table)
    table.show_preview(preview)
    actions = get_roles(table, 1)
    time = actions["time"]
    assert not time.isEnabled()
    assert "“kind” is the" in time.toolTip()
    assert actions["weight"].isEnabled()
    group = get_roles(table, 2)["group"]
    assert group.isChecked()
    assert group.isEnabled()
    assert "patient" in group.toolTip()
    table.resize(700, 300)
    assert not table.grab().isNull()


def test_column_tooltip_has_facts(preview: Preview) -> None:
    text = make_column_tooltip(preview.columns[1])
    assert "3 different values, 1 missing" in text
    assert "From 1.5 to 3.5" in text


@pytest.mark.slow
def test_header_measures_each_section_once(
    tmp_path: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt's size hint measures all sections, so calling it per section would be quadratic."""
    count, measured = 200, []
    path = tmp_path / "wide.csv"
    names = [*(f"x{number}" for number in range(count - 1)), "target"]
    path.write_text("\n".join([",".join(names), *[",".join("1" * count)] * 3]), "utf-8")
    real = ColumnHeader.sectionSizeFromContents

    def count_measurements(header: ColumnHeader, section: int) -> Any:
        measured.append(section)
        return real(header, section)

    monkeypatch.setattr(ColumnHeader, "sectionSizeFromContents", count_measurements)
    table = PreviewTable()
    qtbot.addWidget(table)
    table.show()
    table.show_preview(preview_task(TableSpec(path)))
    qtbot.wait(10)
    assert count <= len(measured) <= 3 * count
    assert table.header.height() == table.header.sectionSizeFromContents(0).height()
