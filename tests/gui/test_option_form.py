"""Forms generated from declared options."""

from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from studio import language
from studio.acquisition.criteria import LowerConfidenceBound
from studio.errors import UsageError
from studio.gui.base.localisation import set_languages
from studio.gui.pages.run.composer import Composer, make_field
from studio.gui.widgets.fields import Choice, NumberEdit
from studio.gui.widgets.fold import CollapsibleSection
from studio.helper.methods import Catalogue, make_catalogue
from studio.proposers.composition import Preset
from studio.proposers.method import compose
from tests.gui.visible_content import pick


@pytest.fixture(scope="module")
def listed() -> Catalogue:
    return make_catalogue()


def preset(listed: Catalogue, name: str) -> Preset:
    return next(each for each in listed.methods if each.key == name)


@pytest.mark.slow
def test_methods_have_option_forms(listed: Catalogue, qtbot: QtBot) -> None:
    form = Composer(lambda _: None)
    qtbot.addWidget(form)
    for method in listed.methods:
        form.show_method(method, listed, {})
        for name in method.options:
            assert name in form.fields
        # Delete the widgets immediately, as thousands of them would slow down later tests.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_changed_options_become_overrides(listed: Catalogue, qtbot: QtBot) -> None:
    emitted_overrides: list[dict[str, Any]] = []
    form = Composer(emitted_overrides.append)
    qtbot.addWidget(form)
    form.show_method(preset(listed, "EO-sqm"), listed, {})
    slots = form.fields["proposer.slots"].control
    assert isinstance(slots, NumberEdit)
    assert slots.text() == "12"
    slots.clear()
    qtbot.keyClicks(slots, "7")
    assert emitted_overrides[-1] == {"proposer.slots": 7}
    kernel = form.fields["surrogate.kernel"].control
    assert isinstance(kernel, Choice)
    kernel.setCurrentText("Matérn 5/2")
    kernel.activated.emit(kernel.currentIndex())
    assert emitted_overrides[-1] == {"proposer.slots": 7, "surrogate.kernel": "matern"}
    compose("EO-sqm", emitted_overrides[-1], "binary")
    slots.clear()
    qtbot.keyClicks(slots, "12")
    assert emitted_overrides[-1] == {"surrogate.kernel": "matern"}


def test_invalid_option_is_reported_at_field(listed: Catalogue, qtbot: QtBot) -> None:
    emitted_overrides: list[dict[str, Any]] = []
    form = Composer(emitted_overrides.append)
    qtbot.addWidget(form)
    form.show_method(preset(listed, "EO-sqm"), listed, {})
    field = form.fields["proposer.slots"]
    slots = field.control
    assert isinstance(slots, NumberEdit)
    slots.clear()
    qtbot.keyClicks(slots, "0")
    assert emitted_overrides == []
    assert "from 1 to 1,000" in field.note_label.text()
    with pytest.raises(UsageError):
        compose("EO-sqm", {"proposer.slots": 0}, "binary")


def test_part_change_resets_its_options(listed: Catalogue, qtbot: QtBot) -> None:
    emitted_overrides: list[dict[str, Any]] = []
    form = Composer(emitted_overrides.append)
    qtbot.addWidget(form)
    method = preset(listed, "BO-post")
    form.show_method(method, listed, {"ensemble.size": 5, "surrogate.kernel": "se"})
    pick(form.cards["ensemble"].choice, "single-best")
    assert emitted_overrides == [{"surrogate.kernel": "se", "ensemble": "single-best"}]
    compose("BO-post", emitted_overrides[0], "binary")


def take(form: Composer, name: str, text: str) -> None:
    control = form.fields[name].control
    assert isinstance(control, Choice)
    control.setCurrentText(text)
    control.activated.emit(control.currentIndex())


def test_inapplicable_options_are_hidden(listed: Catalogue, qtbot: QtBot) -> None:
    emitted_overrides: list[dict[str, Any]] = []
    form = Composer(emitted_overrides.append)
    qtbot.addWidget(form)
    form.show_method(preset(listed, "EO-sqm"), listed, {})
    form.show()
    fold = form.cards["surrogate"].findChild(CollapsibleSection)
    assert fold is not None
    fold.header_button.setChecked(True)
    fields = form.fields
    assert not fields["surrogate.trees"].isVisible()
    assert fields["surrogate.samples"].isVisible()
    assert not fields["surrogate.starts"].isVisible()
    take(form, "surrogate.kernel", "Mondrian")
    trees = fields["surrogate.trees"]
    assert isinstance(trees.control, NumberEdit)
    assert trees.isVisible()
    trees.control.clear()
    qtbot.keyClicks(trees.control, "7")
    assert emitted_overrides[-1] == {"surrogate.kernel": "mondrian", "surrogate.trees": 7}
    take(form, "surrogate.kernel", "Matérn 5/2")
    assert emitted_overrides[-1] == {"surrogate.kernel": "matern"}
    take(form, "surrogate.kernel", "Mondrian")
    assert (trees.isVisible(), trees.control.text()) == (True, "30")
    more = fold.header_button.text()
    take(form, "surrogate.inference", "ml")
    assert not fields["surrogate.samples"].isVisible()
    assert fields["surrogate.starts"].isVisible()
    assert fold.header_button.text() != more  # one fewer than before


def test_option_conditions_are_valid(listed: Catalogue) -> None:
    n_conditions = 0
    for part in (each for parts in listed.parts.values() for each in parts):
        choices = {each.name: each.choices for each in part.options}
        for option in part.options:
            assert option.parse(option.default) == option.default
            if option.only is not None:
                n_conditions += 1
                assert set(option.only.values) < set(choices[option.only.option])
    assert n_conditions


def test_numeric_option_is_localised(qtbot: QtBot) -> None:
    (kappa,) = LowerConfidenceBound.list_options()
    emitted_values: list[object] = []
    set_languages("fr")
    try:
        field = make_field(kappa, 2.5, emitted_values.append)
        qtbot.addWidget(field)
        assert isinstance(field.control, NumberEdit)
        assert field.control.text() == "2,5"
        qtbot.keyClicks(field.control, "5")
        assert emitted_values == [2.55]
    finally:
        set_languages(language.ENGLISH)
