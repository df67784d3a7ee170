"""Texts of the findings about one row."""

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.analysis.answers.rows import (
    NearestChange,
    RowColumn,
    RowForm,
    RowPrediction,
    RowReasons,
)
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


@pytest.mark.parametrize("class_code", [0, 1])
@pytest.mark.parametrize("positive_code", [0, 1])
def test_contributions_are_titled_with_their_class(
    class_code: int, positive_code: int, qtbot: QtBot
) -> None:
    classes = ("active", "cancelled")
    form = RowForm((BRAND,), rows=10, target="Status", classes=classes, positive_code=positive_code)
    findings = make_findings(form, qtbot)
    title = findings.reasons_title_label.text()
    assert title and not any(f"“{each}”" in title for each in classes)
    probabilities = np.array([0.3, 0.7]) if class_code else np.array([0.7, 0.3])
    findings.show_prediction(RowPrediction(class_code=class_code, probabilities=probabilities))
    contributions = np.array([[0.2, -0.2]])
    findings.show_reasons(
        RowReasons(np.array([0.5, 0.5]), contributions, np.full((1, 2), 0.01), 40)
    )
    title = findings.reasons_title_label.text()
    shown = [f"“{each}”" in title for each in classes]
    assert shown == [positive_code == 0, positive_code == 1], "whatever the prediction is"


def test_title_follows_the_chosen_class(qtbot: QtBot) -> None:
    classes = ("bus", "car", "van")
    findings = make_findings(RowForm((BRAND,), rows=10, target="kind", classes=classes), qtbot)
    findings.show_prediction(RowPrediction(class_code=1, probabilities=np.array([0.2, 0.5, 0.3])))
    contributions = np.array([[0.2, -0.1, -0.1]])
    findings.show_reasons(RowReasons(np.full(3, 1 / 3), contributions, np.zeros((1, 3)), 40))
    assert "“car”" in findings.reasons_title_label.text()
    findings._choose_class(2)
    assert "“van”" in findings.reasons_title_label.text()
    findings.show_form()
    assert "“" not in findings.reasons_title_label.text(), "another form has other classes"
