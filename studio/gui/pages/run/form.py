"""Form of the next run: its start, method, evaluation and limits."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRectF, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QGridLayout,
    QInputDialog,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from studio.data.tasks import Task
from studio.errors import UsageError
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.method_names import rank_match
from studio.gui.drafts.run_model import FAMILY, RunModel, SavedMethod
from studio.gui.drafts.searched_space import find_searched_space
from studio.gui.drafts.starter import Starter
from studio.gui.pages.run.composer import Composer
from studio.gui.pages.run.settings import RunSettingsForm
from studio.gui.pages.run.start_card import AdviceLine, StartCard
from studio.gui.plots.base.header import Explanation
from studio.gui.session.session import Session
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout, HeightForWidthWidget
from studio.gui.widgets.fold import CollapsibleSection
from studio.helper.methods import Catalogue
from studio.language import ntr, tr, translate
from studio.proposers.composition import Preset
from studio.proposers.presets import get_default

_MAX_WIDTH = 880
"""Maximum width of the form in pixels, at a scale of 1."""

_COLUMNS, _NARROW = 2, 520
"""Number of cards side by side, and the width below which it is 1: pixels at a scale of 1."""


class MethodCard(QAbstractButton):
    """A method's card with name and description; the source is in the tooltip."""

    def __init__(self, method: Preset, is_default: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        summary, reference = translate(method.summary), translate(method.reference)
        self.setAccessibleName(tr("Method {name}", name=method.key))
        self.setAccessibleDescription(summary)
        self.setToolTip(make_plain_tip(f"{summary}\n{reference}"))
        title = translate(method.title)
        name = kit.label(title, wrap=True)
        theme.set_font_size(name, theme.LARGE, bold=True)
        first = kit.row((name, 1))
        if method.key != title:
            first.addWidget(kit.label(method.key, "muted"))
        if is_default:
            first.addWidget(kit.label(tr("suggested"), "pill"))
        text, margin = kit.label(summary, "muted", wrap=True), GRID + GRID // 2
        kit.column(first, text, None, parent=self, spacing=GRID // 2, margin=margin)
        for child in self.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected, is_highlighted = self.isChecked(), self.hasFocus() or self.underMouse()
        width = 2.0 if is_selected else 1.0
        edge = tokens.accent if is_selected else tokens.border
        if is_highlighted and not is_selected:
            edge = tokens.muted
        painter.setPen(QPen(theme.colour(edge), width))
        painter.setBrush(theme.colour(tokens.accent_soft if is_selected else tokens.surface))
        box = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(box, theme.CARD, theme.CARD)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()


class MethodCards(QWidget):
    """All methods for a task, by family, or filtered by search."""

    method_chosen = Signal(str)
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.cards: dict[str, MethodCard] = {}
        self.families: dict[str, QPushButton] = {}
        self.family = ""
        self._narrow = False
        self._available: Sequence[Preset] = []
        self._catalogue: Catalogue | None = None
        self._default = ""
        self._selected_key = ""
        self._card_group = QButtonGroup(self)
        self._chip_group = QButtonGroup(self)
        self.search = kit.make_search_field(
            tr("Find a method by name or description"),
            lambda _: self._show_cards(),
            name=tr("Find a method"),
            tip=tr("Searches all families: names, descriptions, references"),
        )
        self.search.returnPressed.connect(self._choose_first_hit)
        self._chip_lines = FlowLayout(gap=GRID)
        self.note_label = kit.label("", "muted", wrap=True)
        self._grid = QGridLayout()
        self._grid.setSpacing(GRID + GRID // 2)
        for position in range(_COLUMNS):
            self._grid.setColumnStretch(position, 1)
        spacing = GRID + GRID // 2
        kit.column(
            self.search, self._chip_lines, self.note_label, self._grid, parent=self, spacing=spacing
        )

    def show_methods(
        self, methods: Sequence[Preset], task: str, default: str, catalogue: Catalogue | None = None
    ) -> None:
        """Show the methods for a task, with the suggested family first."""
        self._catalogue = catalogue
        available = [method for method in methods if task not in method.rejections]
        if (available, default) == (self._available, self._default):
            return
        self._available, self._default = available, default
        families = list(dict.fromkeys(method.family for method in available))
        default_family = self._find_family(default)
        families.sort(key=lambda family: family != default_family)
        kit.clear(self._chip_lines)
        self.families = {}
        for family in families:
            tip = tr("Show the methods of {family}", family=translate(family))
            choose = partial(self._choose_family, family)
            chip = kit.chip(translate(family), choose, tip=tip, group=self._chip_group)
            chip.setAccessibleName(tr("Methods of {family}", family=translate(family)))
            self.families[family] = chip
            self._chip_lines.addWidget(chip)
        self.family = self._find_family(self._selected_key) or default_family
        self._show_cards()

    def show_choice(self, key: str) -> None:
        """Mark the selected method, and show its family if the selection has changed."""
        if key != self._selected_key:
            self._selected_key = key
            self.family = self._find_family(key) or self.family
            self._show_cards()
        self._mark_chosen()

    def _mark_chosen(self) -> None:
        self._card_group.setExclusive(False)  # otherwise the last marked card could not be unmarked
        for key, card in self.cards.items():
            card.setChecked(key == self._selected_key)
        self._card_group.setExclusive(True)

    def _find_family(self, key: str) -> str:
        return next((each.family for each in self._available if each.key == key), "")

    def _choose_family(self, family: str) -> None:
        self.family = family
        self._show_cards()

    def _choose_first_hit(self) -> None:
        first_hit = next(iter(self.cards), "")
        if first_hit and self.search.text().strip():
            self.method_chosen.emit(first_hit)

    def _show_cards(self) -> None:
        search_words = self.search.text().lower().split()

        def rank(method: Preset) -> tuple[int, bool]:
            names = (method.key, *method.aliases, translate(method.title))
            return rank_match(search_words, names), method.key != self._default

        visible = [each for each in self._available if each.family == self.family]
        if search_words:
            visible = [each for each in self._available if _matches(each, search_words)]
        visible.sort(key=rank)
        for family, chip in self.families.items():
            chip.setVisible(not search_words)  # hits of all families follow the search field
            if family == self.family:
                chip.setChecked(True)
        kit.show_text(self.note_label, "" if visible else self._explain_no_match(search_words))
        if list(self.cards) == [method.key for method in visible]:
            return
        kit.clear(self._grid)
        self.cards = {}
        for method in visible:
            card = MethodCard(method, method.key == self._default)
            card.clicked.connect(lambda _, key=method.key: self.method_chosen.emit(key))
            self._card_group.addButton(card)
            self.cards[method.key] = card
        self._place_cards()
        self._mark_chosen()

    def _explain_no_match(self, search_words: Sequence[str]) -> str:
        absent = () if self._catalogue is None else self._catalogue.unavailable_methods
        titles = [translate(each.title) for each in absent if _matches(each, search_words)]
        if not titles:
            return tr("No method matches; try another word.")
        methods = ", ".join(titles)
        return tr("{methods}: not available without an optional library.", methods=methods)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stack the cards if two do not fit side by side."""
        super().resizeEvent(event)
        if (self.width() < theme.pixels(_NARROW)) != self._narrow:
            self._place_cards()
        self.resized.emit()

    def _place_cards(self) -> None:
        """Lay out the cards; a single card takes the whole width."""
        self._narrow = self.width() < theme.pixels(_NARROW)
        n_columns = 1 if self._narrow or len(self.cards) == 1 else _COLUMNS
        for position, card in enumerate(self.cards.values()):
            self._grid.removeWidget(card)
            row, column = divmod(position, n_columns)
            self._grid.addWidget(card, row, column, 1, _COLUMNS // n_columns)


def _matches(method: Preset, search_words: Sequence[str]) -> bool:
    """Return whether a method's texts contain all words, which are in lower case."""
    texts = [method.key, method.title, method.family, method.summary, method.reference]
    parts = [key.replace("-", " ") for key in method.get_all_parts().values()]
    full_text = " ".join([*texts, *map(translate, texts), *method.aliases, *parts]).lower()
    return all(word in full_text for word in search_words)


class MethodBar(QWidget):
    """The method's readable name and title, with buttons to reset, save and explain it."""

    def __init__(self, model: RunModel, task: Callable[[], Task]) -> None:
        super().__init__()
        self._model, self._task = model, task
        self.name_label = kit.ElidedLabel("", "muted")
        self.name_label.setAccessibleName(tr("The method of the next run"))
        tip = tr("Description, parts and source of the selected method")
        self.explain_button = kit.button(
            tr("What is this?"), self._show_explanation, kind="link", tip=tip
        )
        self.back_button = kit.button(
            "",
            lambda: model.change(overrides={}),
            kind="link",
            name=tr("Back to the preset"),
            tip=tr("Discard the changes to the parts"),
        )
        tip = tr("Keep this combination on this computer, to choose it by name later")
        self.save_button = kit.button(tr("Save as my method…"), self._save, kind="link", tip=tip)
        tip = tr("Delete this method; runs that used it are kept")
        self.delete_button = kit.button(tr("Delete my method"), self._delete, kind="link", tip=tip)
        title = kit.label(tr("Method"), "title")
        first = kit.row(title, (self.name_label, 1), self.explain_button, spacing=2 * GRID)
        self.summary_label = kit.label("", "muted", wrap=True)
        self.changes_label = kit.ElidedLabel("", "small")
        self.changes_label.setAccessibleName(tr("Differences from its preset"))
        self._changes_row = QWidget()
        buttons = (self.back_button, self.save_button, self.delete_button)
        kit.row((self.changes_label, 1), *buttons, parent=self._changes_row, spacing=2 * GRID)
        kit.column(first, self.summary_label, self._changes_row, parent=self, spacing=GRID // 2)

    def show_method(self) -> None:
        """Show the draft's method."""
        task, draft = self._task(), self._model.draft
        preset = self._model.get_method(draft.get_method(task))
        saved_method = self._model.saved_methods.find(preset.key, draft.overrides)
        name = self._model.get_draft_method_name(task)
        parts = (name, tr(FAMILY)) if saved_method else (translate(preset.title), name)
        self.name_label.setText("  ·  ".join(parts))
        self.summary_label.setText(translate(preset.summary))
        changed = bool(draft.overrides)
        self._changes_row.setVisible(changed)
        if not changed:
            return
        self.changes_label.setText(self._list_changes())
        text = tr("Back to {method}", method=preset.key)
        self.back_button.setText(text)
        self.back_button.setAccessibleName(text)
        self.save_button.setVisible(saved_method is None)
        self.delete_button.setVisible(saved_method is not None)

    def _show_explanation(self) -> None:
        task = self._task()
        preset = self._model.get_method(self._model.draft.get_method(task))
        lines = [tr("Parts: {parts}.", parts="; ".join(self._model.describe_parts(task)))]
        if self._model.draft.overrides:
            lines.insert(0, self._list_changes())
        if preset.aliases:
            lines.append(tr("Papers also call it {names}.", names=", ".join(preset.aliases)))
        Explanation(
            self._model.get_draft_method_name(task),
            translate(preset.summary),
            "\n".join(lines),
            translate(preset.reference),
            self,
        ).show_below(self.explain_button)

    def _list_changes(self) -> str:
        task = self._task()
        texts = [each.label for each in self._model.list_differences(task)]
        method = self._model.draft.get_method(task)
        return tr("Differs from {method} in: {changes}.", method=method, changes=", ".join(texts))

    def _save(self) -> None:
        task = self._task()
        suggested_name = self._model.get_draft_method_name(task)
        title = tr("Save as my method")
        name, accepted = QInputDialog.getText(self, title, tr("Name"), text=suggested_name)
        if accepted:
            self.save_as(name)

    def save_as(self, name: str) -> None:
        """Save the method under a name."""
        draft = self._model.draft
        method = SavedMethod(name, draft.get_method(self._task()), draft.overrides)
        try:
            self._model.saved_methods.save(method, self._model.get_method_keys())
        except UsageError as error:
            self._model.failed.emit(translate(str(error)))

    def _delete(self) -> None:
        draft, methods = self._model.draft, self._model.saved_methods
        saved_method = methods.find(draft.get_method(self._task()), draft.overrides)
        if saved_method is not None:
            methods.delete(saved_method.name)


_FROM_PARTS_KEY = "run/from_parts"


class RunForm(QWidget):
    """Edits the draft of the next run, with the advice; the Run button stays in the top bar."""

    def __init__(
        self,
        model: RunModel,
        data: DataModel,
        session: Session,
        *,
        advice: AdviceModel,
        starter: Starter,
    ) -> None:
        super().__init__()
        self._model, self._data, self._session = model, data, session
        self._advice_model, self._check = advice, starter.check
        self._shown_method = ""
        self.advice = AdviceLine(advice)
        self.advice.split_requested.connect(self._reveal_split)
        self.methods = MethodCards()
        self.methods.method_chosen.connect(self._choose)
        self.parts = Composer(
            lambda overrides: model.change(overrides=overrides), model.set_problem
        )
        self.bar = MethodBar(model, self._get_task)
        self.settings = RunSettingsForm(model, data, advice)
        time, notes = self.settings.time_field, self.settings.budget_note_label
        self.start_card = StartCard(starter, data, advice=self.advice, time=time, notes=notes)
        self.other_methods = CollapsibleSection(
            "run/methods",
            tr("Other methods"),
            tr("Every method of the papers, by name or composed from its parts"),
            QWidget(),
        )
        self._loading_label = kit.label(tr("Loading the methods…"), "muted")
        self._problem_label = kit.label("", "problem", wrap=True)
        self.unknown_label = kit.label("", "warning", wrap=True)
        self._space_label = kit.label("", "muted", wrap=True)
        self._mode_group = QButtonGroup(self)
        chip = partial(kit.chip, clicked=lambda: None, group=self._mode_group)
        tip = tr("One of the papers' methods, as it was published")
        self.by_name = chip(tr("Choose by name"), tip=tip)
        tip = tr("Inspect and exchange the parts of the method, and set their options")
        self.from_parts = chip(tr("Compose from parts"), tip=tip)
        from_parts = str(QSettings().value(_FROM_PARTS_KEY, "false")) == "true"
        (self.from_parts if from_parts else self.by_name).setChecked(True)
        self.from_parts.toggled.connect(self._set_from_parts)
        self._build()
        for signal in (model.changed, model.catalogue_loaded, data.changed):
            signal.connect(self._show)
        self._check.changed.connect(self._show_check)
        for show in (self._show_advice, self._show_space):
            session.space.changed.connect(show)
        session.document_changed.connect(self.methods.search.clear)
        self._show()

    def _build(self) -> None:
        self._content = HeightForWidthWidget()
        chips, spacing = kit.row(self.by_name, self.from_parts, None), GRID + GRID // 2
        others = self.other_methods.content
        kit.column(chips, self.methods, self.parts, parent=others, spacing=spacing)
        method, tip = QWidget(), tr("The search method, and alternatives")
        card = kit.make_card(self.bar, self._space_label, self.advice.links)
        kit.column(card, self.other_methods, parent=method, spacing=spacing)
        self.method = CollapsibleSection("run/method", tr("Method"), tip, method)
        kit.column(
            self.start_card,
            self._problem_label,
            self.unknown_label,
            self._loading_label,
            self.method,
            self.settings,
            None,
            parent=self._content,
            spacing=spacing,
        )
        theme.get_notifier().changed.connect(self._limit_width)
        self._limit_width()
        self._area = kit.scroll_area(self._content)
        self.methods.resized.connect(self._reveal_hits)
        self._area.verticalScrollBar().rangeChanged.connect(self._reveal_hits)
        kit.column((self._area, 1), parent=self, margin=kit.SCROLLING_PAGE)

    def _limit_width(self, _: object = None) -> None:
        self._content.setMaximumWidth(theme.pixels(_MAX_WIDTH))

    def _get_task(self) -> Task:
        return self._data.draft.assumed_task

    def _show(self) -> None:
        catalogue = self._model.catalogue
        self._loading_label.setVisible(catalogue is None)
        self.bar.setVisible(catalogue is not None)
        kit.show_text(self.unknown_label, self._explain_unknown_method())
        self._show_composer()
        if catalogue is not None:
            task = self._get_task()
            default = get_default(task)
            self.methods.show_methods(self._model.list_offered(), task, default, catalogue)
            self.methods.show_choice(self._model.get_choice(task))
            self.bar.show_method()
            name = self._model.get_draft_method_name(task)
            self.method.set_title(tr("Method: {name}", name=name))
            self._open_other_methods(self._model.get_choice(task), default)
        self.settings.show_draft()
        self._show_advice()
        self._show_space()

    def _explain_unknown_method(self) -> str:
        draft = self._model.draft
        if not draft.unknown_method:
            return ""
        return tr(
            "This version has no method “{unknown}”: “{method}” is used instead. All other "
            "settings are kept.",
            unknown=draft.unknown_method,
            method=draft.get_method(self._get_task()),
        )

    def _open_other_methods(self, selected_key: str, default: str) -> None:
        """Show all methods once one other than the suggested is chosen, here or elsewhere."""
        if selected_key not in {self._shown_method, default}:
            self.method.header_button.setChecked(True)
            self.other_methods.header_button.setChecked(True)
        self._shown_method = selected_key

    def _choose(self, name: str) -> None:
        self._model.choose_method(name, self._get_task())

    def _set_from_parts(self, from_parts: bool) -> None:
        QSettings().setValue(_FROM_PARTS_KEY, "true" if from_parts else "false")
        self._show_composer()

    def _show_composer(self) -> None:
        catalogue, is_composing = self._model.catalogue, self.from_parts.isChecked()
        self.methods.setVisible(catalogue is not None and not is_composing)
        self.parts.setVisible(catalogue is not None and is_composing)
        if not is_composing:
            self.parts.reset_invalid_fields()
        if is_composing and catalogue is not None:
            draft = self._model.draft
            method = self._model.get_method(draft.get_method(self._get_task()))
            self.parts.show_method(method, catalogue, draft.overrides)
        self._show_check()

    def _reveal_split(self) -> None:
        split = self.settings.reveal("split")
        # The section has its new height only after the layout's next pass.
        QTimer.singleShot(0, split, partial(self._area.ensureWidgetVisible, split))

    def _reveal_hits(self, *_: object) -> None:
        """Scroll as far as the hits need, at most until the search field is at the top."""
        search = self.methods.search
        if search.hasFocus() and search.text():
            top = self.methods.mapTo(self._content, QPoint()).y()
            bottom = top + self.methods.height() - self._area.viewport().height()
            bar = self._area.verticalScrollBar()
            bar.setValue(min(max(bar.value(), bottom), top))

    def _show_space(self) -> None:
        from studio.proposers.spaces import get_space

        space, task = self._session.space.value, self._get_task()
        searched = find_searched_space(
            space or get_space(self._model.draft.get_method(task), task), self._data.draft
        )
        kit.show_text(self.start_card.constraint_label, searched.sentence)
        if space is None:
            self._space_label.setText(tr("The search uses the task's default space."))
            return
        from studio.space.library import format_title

        text = ntr(
            "The search uses the space “{space}” ({count} hyperparameter).",
            "The search uses the space “{space}” ({count} hyperparameters).",
            searched.space.n_tuned,
            space=format_title(space),
        )
        self._space_label.setText(text)

    def _show_check(self) -> None:
        compatibility = self._check.compatibility
        self.parts.show_check(compatibility)
        kit.show_text(self._problem_label, translate(compatibility.problem))

    def _show_advice(self) -> None:
        if self.isVisible():
            self._advice_model.request()
        self.advice.show_advice()
        self.settings.show_split()

    def showEvent(self, event: QShowEvent) -> None:
        """Request advice only when the page is shown."""
        super().showEvent(event)
        self._show_advice()
