"""Texts of the findings about one row."""

import pytest
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import NearestChange, RowColumn, RowForm
from studio.gui.pages.results.one_row.findings import Findings
from studio.gui.pages.results.one_row.model import RowModel
from studio.measure import PREFIX_MARK

BRAND = RowColumn("brand", "category", labels=("Cube", "Trek"), default_value="Trek")


def make_findings(form: RowForm, qtbot: QtBot) -> Findings:
    model = RowModel()
    model.set_form(form)
    findings = Findings(model)
    qtbot.addWidget(findings)
    findings.show_form()
    return findings


@pytest.mark.parametrize(("unit", "shown"), [("£" + PREFIX_MARK, "£"), ("€", "€"), ("", "")])
def test_smallest_change_has_the_unit_of_the_target(unit: str, shown: str, qtbot: QtBot) -> None:
    form = RowForm((BRAND,), rows=10, target="price", notable_change=120.0, unit=unit)
    field = make_findings(form, qtbot).amount_field
    assert field.control.accessibleName() == (f"{field.name} ({shown})" if shown else field.name)
    assert field._unit_label.text() == shown and field._unit_label.isHidden() is not bool(shown)


@pytest.mark.parametrize("count", [1, 3])
def test_alternative_values_are_not_called_labels(count: int) -> None:
    model = RowModel()
    model.set_form(RowForm((BRAND,), rows=10, target="price", notable_change=120.0, unit="£"))
    change = NearestChange(0, "Cube", -1, 461.0, count)
    change_text, outcome = model.describe_change(change)
    assert f"Cube (or {count} other value" in change_text and "label" not in change_text
    assert outcome == model.format_target(461.0)
