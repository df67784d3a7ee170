"""Set-up form of a comparison: task, tables, methods, repetitions, budget."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QWidget

from studio.compare.statistics.intervals import MIN_REPETITIONS
from studio.data.metrics.registry import REGISTRY as METRICS
from studio.errors import SpaceError
from studio.gui.base import theme, user_paths
from studio.gui.base.file_filters import get_space_filters as space_kinds
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.pages.compare.data_sets import DataSets
from studio.gui.pages.compare.draft import (
    CUSTOM,
    DECISIVE,
    FULL,
    OPEN_SPACE,
    QUICK,
    StudyDraft,
    list_presets,
)
from studio.gui.pages.compare.method_choices import (
    CheckableModel,
    CheckableRow,
    CheckableTable,
    MethodChoices,
)
from studio.gui.pages.compare.setup_model import SetupModel
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice, Field
from studio.gui.widgets.flow import FlowLayout, HeightForWidthWidget
from studio.gui.widgets.fold import CollapsibleSection
from studio.gui.widgets.setting_fields import SettingFields
from studio.gui.widgets.split_field import SplitField
from studio.language import tr, translate
from studio.printable import sanitise_line
from studio.space.library import ShippedSpace, list_shipped_spaces
from studio.space.space import Space

_COLUMN_WIDTHS = (280, 136)

_MIN_TWO_COLUMNS = 960
"""Width from which budget and Start are beside the other steps, at a scale of 1."""

_PRESET_LETTERS = 18
"""Minimum number of visible letters of a paper's experiment."""


class SpaceChoices(QWidget):
    """The list of search spaces, to which files are added."""

    row_toggled = Signal(object, bool)
    """The space of this key (``None``: the default of each task) was checked or unchecked."""

    file_chosen = Signal(Path)
    """The space of this file was added."""

    def __init__(self) -> None:
        super().__init__()
        self.spaces = CheckableModel((tr("Search space"), tr("Predicts"), tr("Contents")))
        self.spaces.row_toggled.connect(self.row_toggled)
        self.table = CheckableTable(self.spaces, _COLUMN_WIDTHS)
        self.table.setAccessibleName(tr("Search spaces to compare in"))
        self.table.setToolTip(tr("Tick one or more spaces: click the box or press the space bar"))
        self.problem_label = kit.label("", "problem", wrap=True)
        self.problem_label.hide()
        text = tr("Add a space from a file…")
        self.add_file_button = kit.button(
            text, self._ask_file, icon="open", tip=tr("A search space saved as JSON")
        )
        kit.column(self.table, kit.row(self.add_file_button, None), self.problem_label, parent=self)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open a search space"), user_paths.get_start_folder(), space_kinds()
        )
        user_paths.set_dialog_folder(name)
        if name:
            self.file_chosen.emit(Path(name))

    def show_choice(self, selected: Sequence[str | None], open_space: Space | None) -> None:
        """Set the available spaces, with that of the Space page, and check the chosen ones."""
        self.spaces.set_rows(make_space_rows(list_shipped_spaces(), selected, open_space))
        self.spaces.choose(selected)


def make_space_rows(
    spaces: Sequence[ShippedSpace], selected: Sequence[str | None], open_space: Space | None = None
) -> list[CheckableRow]:
    """Return the available spaces: the task's default, chosen files, shipped ones."""
    shipped_keys = {each.key for each in spaces}
    default_tip = tr(
        "For every data set the default space of its task; a method with its own space, such "
        "as “best”, searches that one"
    )
    rows = [CheckableRow(None, (tr("The default for each task"), "", default_tip), default_tip)]
    if open_space is not None or OPEN_SPACE in selected:
        rows.append(_make_open_row(open_space))
    rows += [
        CheckableRow(
            each, (Path(each).stem, "", tr("From the file {path}", path=each)), each, entry=each
        )
        for each in selected
        if each is not None and each not in shipped_keys and each != OPEN_SPACE
    ]
    for each in spaces:
        title, summary = translate(each.title), translate(each.summary)
        tip = f"{title} ({each.key})\n{summary}"
        texts = (title, describe_tasks(each.tasks), summary)
        rows.append(CheckableRow(each.key, texts, tip, entry=each.key))
    return rows


def _make_open_row(space: Space | None) -> CheckableRow:
    title = tr("Space page")
    tip = tr("A copy is made when the comparison starts; later edits do not change it")
    if space is None:
        return CheckableRow(OPEN_SPACE, (title, "", tip), tip, entry=OPEN_SPACE)
    name = translate(space.title) or space.name
    text = tr("Space page: {name}", name=name)
    texts = (text, describe_tasks(space.tasks), tip)
    return CheckableRow(OPEN_SPACE, texts, f"{text}\n{tip}", entry=OPEN_SPACE)


def describe_tasks(tasks: Sequence[str]) -> str:
    """Return a space's supported tasks in words: classes, numbers, or both."""
    numbers = "regression" in tasks
    classes = len(tasks) > numbers
    if classes and numbers:
        return tr("classes or numbers")
    return tr("numbers") if numbers else tr("classes")


_EXAMPLE_ROWS = 100
"""Number of rows in the description of the split."""


class SetupForm(QWidget):
    """Edits the draft in steps: contents of the study, then budget and Start beside or below."""

    start_requested = Signal()

    def __init__(self, model: SetupModel) -> None:
        super().__init__()
        self._model = model
        self._presets = list_presets()
        self.fields = SettingFields(
            lambda name, value: model.change(**{name: value}),
            model.set_problem,
            fewest=MIN_REPETITIONS,
            example="tcp://10.0.0.5:8786",
        )
        content, self._last_steps = HeightForWidthWidget(), HeightForWidthWidget()
        self.summary_label = kit.label("", "muted", wrap=True)
        self._build_presets()
        self._steps = kit.column(
            kit.label(tr("Compare methods"), "title"),
            FlowLayout(self.preset, self.size_choice),
            self.summary_label,
            self._build_data(),
            self._build_methods(),
            None,
            parent=content,
            spacing=2 * GRID,
        )
        kit.column(
            self._build_runs(),
            self._build_options(),
            self._build_start(),
            None,
            parent=self._last_steps,
            spacing=2 * GRID,
        )
        self._side = kit.scroll_area(self._last_steps)
        theme.get_notifier().changed.connect(self._arrange)
        kit.row(
            (kit.scroll_area(content), 1),
            self._side,
            parent=self,
            spacing=kit.SCROLLING_GAP,
            margin=kit.SCROLLING_PAGE,
        )
        model.changed.connect(self._show)
        self._show()

    # ---- layout

    def _build_presets(self) -> None:
        titles: list[tuple[object, str]] = [(CUSTOM, tr("Custom comparison"))]
        titles += [(each.key, translate(each.title)) for each in self._presets]
        self.preset = Choice(titles, lambda key: self._model.choose_preset(str(key)))
        self.preset.setMinimumContentsLength(_PRESET_LETTERS)
        self.preset.setAccessibleName(tr("What to compare"))
        text = tr("Your own choice, or a paper's experiment with its data sets and methods")
        self.preset.setToolTip(make_plain_tip(text))
        self.size_choice = Choice(
            [
                (QUICK, tr("Quick: smaller, but the same question")),
                (DECISIVE, tr("Decisive: many data sets, few rows of each")),
                (FULL, tr("Full: as published")),
            ],
            lambda size: self._model.choose_preset(self._model.draft.preset, str(size)),
        )
        self.size_choice.setAccessibleName(tr("Size"))
        tip = tr("Quick takes minutes to hours, decisive a few hours, full several days")
        self.size_choice.setToolTip(make_plain_tip(tip))

    def _build_data(self) -> QFrame:
        self.data_sets = DataSets(self._model.target_reader)
        self.data_sets.added.connect(self._model.add)
        self.data_sets.folder_chosen.connect(self._model.add_folder)
        self.data_sets.removed.connect(
            lambda names: self._model.set_draft(self._model.draft.drop_data(names))
        )
        self.data_sets.target_typed.connect(
            lambda name, target: self._model.set_draft(self._model.draft.with_target(name, target))
        )
        self.data_sets.open_table_requested.connect(self._model.add_open_table)
        return kit.make_card(kit.label(tr("1. Data sets"), "section"), self.data_sets)

    def _build_methods(self) -> QFrame:
        self.methods = MethodChoices()
        self.methods.row_toggled.connect(
            lambda entry, on: self._model.set_draft(self._model.draft.with_method(entry, on))
        )
        title = kit.label(tr("2. Methods"), "section")
        return kit.make_card(title, self.methods, self._build_spaces())

    def _build_spaces(self) -> CollapsibleSection:
        self.spaces = SpaceChoices()
        self.spaces.row_toggled.connect(
            lambda key, on: self._model.set_draft(self._model.draft.with_space(key, on))
        )
        self.spaces.file_chosen.connect(self._add_space)
        text = tr("Which models and settings are tried")
        return CollapsibleSection("compare/spaces", tr("Search spaces"), text, self.spaces)

    def _add_space(self, path: Path) -> None:
        try:
            self._model.add_space(path)
        except SpaceError as error:
            message = tr("{file}: {why}", file=path.name, why=translate(str(error)))
            kit.show_text(self.spaces.problem_label, message)
        else:
            kit.show_text(self.spaces.problem_label, "")

    def _build_runs(self) -> QFrame:
        fields = self.fields.make_group_fields(StudyDraft, "runs")
        return kit.make_card(kit.label(tr("3. How long"), "section"), *fields)

    def _build_options(self) -> CollapsibleSection:
        content, limits = QWidget(), self.fields.make_group_fields(StudyDraft, "limits")
        self.split = SplitField()
        self.split.plan_changed.connect(lambda plan: self._model.change(split=plan))
        column = kit.column(
            kit.label(tr("Train/validation/test split"), "section", wrap=True),
            kit.label(tr("Of every 100 rows of a data set:"), "small", wrap=True),
            self.split,
            2 * GRID,
            *limits,
            parent=content,
        )
        metrics: list[tuple[object, str]] = [(None, tr("The default for each task"))]
        metrics += [(each.key, translate(each.title)) for each in METRICS]
        self.metric_choice = Choice(metrics, lambda key: self._model.change(metric=key))
        tip = tr("The same metric for all data sets; those it does not apply to are left out")
        column.addWidget(Field(tr("Optimise for (metric)"), self.metric_choice, tip=tip))
        for group in ("final", "place"):
            for each in self.fields.make_group_fields(StudyDraft, group):
                column.addWidget(each)
        text = tr("Split, limits, seed, metric, final models, a cluster")
        return CollapsibleSection("compare/more", tr("More settings"), text, content)

    def _build_start(self) -> QFrame:
        self.sentence_label = kit.label("", wrap=True)
        self.time_label = kit.label("", "small", wrap=True)
        self.space_note_label = kit.label("", "small", wrap=True)
        self.resources_label = kit.label("", "small", wrap=True)
        self.obstacle_label = kit.label("", "muted", wrap=True)
        self.common_space_button = kit.button(
            tr("One space for all"),
            lambda: self._model.change(spaces=(self._model.common_space,)),
            tip=tr("Every method searches the default space, so differences are the methods' own"),
        )
        self.start_button = kit.button(
            tr("Start the comparison"),
            self.start_requested.emit,
            kind="primary",
            icon="play",
            tip=tr("Runs in the background, even when the window is closed"),
        )
        # The optional lines are last, so that nothing moves under the pointer.
        return kit.make_card(
            kit.label(tr("4. Start"), "section"),
            self.start_button,
            self.obstacle_label,
            self.sentence_label,
            self.time_label,
            self.space_note_label,
            kit.row(self.common_space_button, None),
            self.resources_label,
        )

    # ---- display

    def _show(self) -> None:
        draft = self._model.draft
        self.preset.show_value(draft.preset)
        preset = next((each for each in self._presets if each.key == draft.preset), None)
        text = tr("Optional: which method is better, and may that be chance?")
        if preset is not None:
            text = f"{translate(preset.summary)} ({preset.reference})"
        self.summary_label.setText(text)
        self.size_choice.setVisible(preset is not None and len(preset.sizes) > 1)
        self.size_choice.show_value(draft.size)
        self.data_sets.show_entries(draft.data, open_table=self._model.open_table is not None)
        self.methods.show_choice(self._model.available_methods, draft.method_names)
        self.fields.show(vars(draft))
        self.spaces.show_choice(draft.spaces, self._model.open_space)
        self.split.show_plan(draft.split, _EXAMPLE_ROWS, rules=self._model.get_row_rules())
        self.metric_choice.show_value(draft.metric)
        blocking_reason = self._model.blocking_reason
        kit.show_text(self.sentence_label, self._model.describe_size() if draft.n_runs else "")
        self.time_label.setVisible(bool(draft.n_runs))
        time_text = f"{self._model.describe_duration()} {draft.describe_power()}"
        self.time_label.setText(time_text.strip())
        model = self._model
        notes = (model.describe_omissions(), model.describe_metric(), model.describe_spaces())
        kit.show_text(self.space_note_label, " ".join(filter(None, notes)))
        self.common_space_button.setVisible(bool(self._model.common_space))
        kit.show_text(self.resources_label, sanitise_line(self._model.describe_location()))
        kit.show_text(self.obstacle_label, blocking_reason)
        self.start_button.setEnabled(not blocking_reason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Widen the settings with the type, if they fit."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self, _: object = None) -> None:
        """Place the last steps beside the others, or below them on a narrow page."""
        self._side.setFixedWidth(kit.compute_side_width(self))
        is_narrow = self.width() < theme.pixels(_MIN_TWO_COLUMNS)
        if is_narrow == self._side.isHidden():
            return
        self._side.setHidden(is_narrow)
        if is_narrow:
            self._side.takeWidget()
            self._steps.insertWidget(self._steps.count() - 1, self._last_steps)
        else:
            self._steps.removeWidget(self._last_steps)
            self._side.setWidget(self._last_steps)
        self._last_steps.show()
