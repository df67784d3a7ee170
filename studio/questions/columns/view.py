"""Views of column importance: a card of the results, and a plot of the Live page."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QProgressBar, QToolTip, QWidget

from studio.figures.figure import Figure, Pointer
from studio.gui.base import theme
from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import MnemonicText, make_breakable, make_plain_tip
from studio.gui.plots.base.chooser import Chooser
from studio.gui.plots.base.helper_requests import Helper, ResultView, ViewContext
from studio.gui.plots.base.plot import GOOD, Columns, HelperPlot
from studio.gui.plots.base.static_figure import StaticFigure
from studio.gui.plots.base.subjects import Subject
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import ClickableDiagram, DrawnDiagram
from studio.gui.widgets.flow import StickyColumn
from studio.gui.widgets.leak_warning import LeakWarning
from studio.language import N_, tr, translate, translate_name
from studio.questions.columns import ColumnsWork, make_column_plan
from studio.questions.columns.answer import (
    ColumnEffects,
    ColumnEffectsPlan,
    describe_dominant_column,
    describe_importance,
    describe_plan,
    explain_groups,
    find_dominant_columns,
    format_rise,
    summarise_bars,
)
from studio.questions.columns.effect_figure import ColumnEffectFigure, find_described_class
from studio.questions.columns.figure import (
    MAX_BARS,
    ROW_HEIGHT,
    ColumnsData,
    ImportanceRow,
    describe_pixel_at,
    describe_pixel_importance,
    find_missing_effect,
    find_pixel,
    list_shown_rows,
    make_importance_diagram,
    make_importance_figure,
    make_pixel_diagram,
    name_bar,
    name_pixel,
    summarise_pixels,
    summarise_plot,
    tabulate_importances,
)

IMPORTANCE, DEPENDENCE = "importance", "dependence"

VIEWS = {IMPORTANCE: N_("Importance"), DEPENDENCE: N_("Effect of a column")}
"""The plot's views, in the order of the chooser."""

SUMMARIES = {
    IMPORTANCE: N_("How much worse the ensemble gets when a column is shuffled."),
    DEPENDENCE: N_("The mean prediction of the ensemble if a column had this value in every row."),
}

_PROGRESS_STEPS = 100
_EFFECT_HEIGHT = 290

_MIN_WIDTH_BESIDE = 680
"""Minimum width for bars and an effect side by side."""

_MIN_BARS = 5


class ComputationStrip(QWidget):
    """A button with a text; during a computation, a progress bar with a cancel button."""

    requested = Signal()
    cancelled = Signal()

    def __init__(self, *choosers: QWidget) -> None:
        super().__init__()
        self.compute_button = kit.button(
            MnemonicText(tr("&Compute")),
            self.requested.emit,
            tip=tr("Uses the ensemble's members, retrained if necessary; the run is not changed"),
        )
        self.cancel_button = kit.button(
            MnemonicText(tr("&Cancel")),
            self.cancelled.emit,
            tip=tr("Cancel at once; nothing is lost"),
        )
        self.bar = QProgressBar()
        self.bar.setRange(0, _PROGRESS_STEPS)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(16 * theme.GRID)
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.setToolTip(tr("Progress of this step"))
        self.progress_label = kit.label("", "small", wrap=True)
        kit.row(
            *choosers,
            self.compute_button,
            self.cancel_button,
            self.bar,
            (self.progress_label, 1),
            parent=self,
        )

    def follow(self, work: ColumnsWork, button: str = "", text: str = "") -> bool:
        """Show the progress, an error or the available action; return whether there is any."""
        effects, is_running = work.effects, work.is_computing
        if is_running:
            button, text = "", translate(effects.phase) if effects else tr("Starting…")
            self.bar.setValue(round(_PROGRESS_STEPS * effects.progress) if effects else 0)
        elif work.error_message:
            button, text = MnemonicText(tr("&Compute")), translate(work.error_message)
        kit.show_text(self.compute_button, button)
        self.cancel_button.setVisible(is_running)
        self.bar.setVisible(is_running)
        self.progress_label.setText(text)
        return bool(is_running or button or text)


class ImportanceChart(DrawnDiagram):
    """A bar per column or group; clicks and arrow keys select, Enter expands a group."""

    chosen = Signal(int)

    opened = Signal(int)
    """Expanding or collapsing the group of this row was requested."""

    def __init__(self) -> None:
        super().__init__(translated=True)
        self.rows: tuple[ImportanceRow, ...] = ()
        self._selected_row = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(
            tr("Press a bar to see the effect of the column's values, or to open a group")
        )

    def show_rows(self, rows: tuple[ImportanceRow, ...], selected_column: int) -> None:
        """Set the bars and the selected one."""
        self._selected_row, self.rows = selected_column, rows
        title = tr("Importance of each column")
        make = partial(make_importance_diagram, rows, title, selected_index=self._selected_row)
        self.show_diagram(make if rows else None, title)
        texts = (f"{row.name}: {row.text}, {row.details}" for row in rows)
        self.setAccessibleDescription("; ".join(texts))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the clicked row, and expand it."""
        index = int(event.position().y() / theme.scale() / ROW_HEIGHT)
        self._choose_row(index)
        if 0 <= index < len(self.rows):
            self.opened.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the row above or below, or expand the selected row."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space} and self.rows:
            self.opened.emit(self._selected_row)
        elif step is None:
            super().keyPressEvent(event)
        else:
            self._choose_row(self._selected_row + step)

    def _choose_row(self, index: int) -> None:
        if 0 <= index < len(self.rows):
            self.chosen.emit(index)

    def event(self, event: QEvent) -> bool:
        """Show the full text of a hovered row."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = int(event.y() / theme.scale() / ROW_HEIGHT)
            lines = [self.toolTip()]
            if 0 <= index < len(self.rows):
                row = self.rows[index]
                lines = [f"{row.name}: {row.text}", row.details, *lines]
            QToolTip.showText(event.globalPos(), "\n".join(filter(None, lines)), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars, and a focus frame."""
        super().paintEvent(event)
        if self.hasFocus() and self.rows:
            painter = QPainter(self)
            scale = theme.scale()
            painter.scale(scale, scale)
            painter.setPen(QPen(theme.colour(theme.current().accent), 1.5))
            box = QRectF(
                0, ROW_HEIGHT * self._selected_row, self.width() / scale, ROW_HEIGHT
            ).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(box, theme.CONTROL, theme.CONTROL)
            painter.end()


def _make_class_chooser() -> Chooser:
    return Chooser(tr("Class shown by the curve"), tr("The class shown by the curve"), 8)


class ColumnsView(ResultView):
    """Bars of the columns, the selected one's effect, and redundant columns."""

    shows_effects = True

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._view: RunView | None = None
        self._column = -1
        self._rows: list[ImportanceRow] = []
        self._open_groups: set[int] = set()
        self._shows_all = False
        self._effects_work = context.effects
        self._effects_work.change_listeners.append(self._show)
        self._waiting_label = kit.label("", "muted", wrap=True)
        self.strip = ComputationStrip()
        self.strip.requested.connect(self._effects_work.begin)
        self.strip.cancelled.connect(self._effects_work.stop)
        self._card = self._build_card()
        kit.column(self._waiting_label, self._card, None, parent=self, spacing=2 * GRID)

    def _build_card(self) -> QFrame:
        self.bars = ImportanceChart()
        self.bars.chosen.connect(self._choose_row)
        self.bars.opened.connect(self._toggle_group)
        self.pixels = ClickableDiagram()
        self.pixels.pressed.connect(self._choose_pixel)
        self._effect_title_label = kit.label("", "section", wrap=True)
        self.classes = _make_class_chooser()
        self.classes.chosen.connect(self._show)
        self.effect = StaticFigure(_EFFECT_HEIGHT)
        self.more_button = kit.button(
            "", self._show_more, kind="link", tip=tr("Show the bars of all columns")
        )
        self._about_label = kit.label("", "small", wrap=True)
        self.warning = LeakWarning()
        self.warning.exclusion_requested.connect(self.exclusion_requested)
        left = kit.column(self.bars, self.pixels, kit.row(self.more_button, None), None)
        title = kit.row((self._effect_title_label, 1), self.classes)
        right = StickyColumn(self.area, title, self.effect)
        self._panels_row = kit.row((left, 5), (right, 4), spacing=3 * GRID)
        self.lead_label = kit.label("", wrap=True, selectable=True)
        heading = kit.label(tr("What matters most"), "section")
        return kit.make_card(
            heading, self.lead_label, self.warning, self.strip, self._panels_row, self._about_label
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the effect below the bars if the view is too narrow."""
        super().resizeEvent(event)
        is_narrow = self.area.viewport().width() < theme.pixels(_MIN_WIDTH_BESIDE)
        direction = (
            QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        )
        self._panels_row.setDirection(direction)

    # ---- display

    def show_run(self, view: RunView, *, ready: bool) -> None:
        del ready
        if self._view is None or self._view.row.id != view.row.id:
            self._column, self._open_groups, self._shows_all = -1, set(), False
            self.classes.reset()
        self._view = view
        self._show()

    def _choose_row(self, index: int) -> None:
        self._column = self._rows[index].number
        self._show_effect_of(self._rows[index].columns[0])

    def _choose_pixel(self, x: float, y: float) -> None:
        effects = self._effects_work.effects
        column = None if effects is None else find_pixel(effects.plan, x, y)
        if column is not None:
            self._column = column
            self._show_effect_of(column)

    def _show_effect_of(self, column: int) -> None:
        effects = self._effects_work.effects
        self._show()
        if effects is not None and column not in effects.dependences:
            self._effects_work.request_effect(effects.plan.names[column], on_demand=True)

    def _toggle_group(self, index: int) -> None:
        """Expand or collapse the group of a row, if any."""
        row = self._rows[index]
        if row.is_expanded is not None:
            self._open_groups ^= {row.number}
            self._show()

    def _show_more(self) -> None:
        self._shows_all = True
        self._show()

    def _show(self) -> None:
        view, effects = self._view, self._effects_work.effects
        if view is None or not self._effects_work.is_about(self.tools.session.path, view.row.id):
            return  # the computation is about a run shown in another view
        is_final = view.has_ended and view.row.result is not None
        if not is_final or effects is None or not len(effects.ranked_indices):
            effects = None
        self._waiting_label.setText(
            tr(
                "Available once the run has finished. Until then, the plot “What the ensemble "
                "looks at” on the Live page shows it for every iteration."
            )
        )
        self._waiting_label.setVisible(not is_final)
        self._card.setVisible(is_final)
        self._show_work()
        for part in (
            self.bars,
            self.pixels,
            self._effect_title_label,
            self.effect,
            self.more_button,
            self._about_label,
        ):
            part.setVisible(effects is not None)
        self.classes.setVisible(effects is not None and len(effects.plan.classes) > 2)
        lead = dominance = ""
        if effects is not None:
            summarise = summarise_pixels if effects.plan.pixels else summarise_bars
            lead, dominance = summarise(effects), describe_dominant_column(effects)
            self._show_columns(effects.with_positive_class(view.row.positive_class))
        kit.show_text(self.lead_label, lead)
        self.warning.show_warning(
            dominance, find_dominant_columns(effects), can_run=self.can_run_again(view)
        )

    def _show_columns(self, effects: ColumnEffects) -> None:
        plan, is_image = effects.plan, bool(effects.plan.pixels)
        rows = self._rows = list_shown_rows(effects, self._open_groups, shows_all=self._shows_all)
        numbers = [row.number for row in rows]
        index = numbers.index(self._column) if self._column in numbers else 0
        column = rows[index].columns[0]
        if is_image:
            column = self._column if self._column >= 0 else column
            name = name_pixel(plan, column)
            title = tr("Effect of the {pixel}", pixel=name)
            about, more_text = describe_pixel_importance(effects), ""
        else:
            name = translate_name(plan.names[column])
            title = tr("Effect of {name}", name=make_breakable(name))
            note = translate(explain_groups(effects))
            about = " ".join(filter(None, (describe_importance(effects), note)))
            more_text = summarise_plot(effects, rows)
        self.bars.show_rows(() if is_image else tuple(rows), index)
        self.pixels.show_static(
            make_pixel_diagram(effects, column) if is_image else None,
            partial(describe_pixel_at, effects),
        )
        self._effect_title_label.setText(title)
        self._effect_title_label.setToolTip(make_plain_tip(name))
        self._show_effect(effects, column)
        kit.show_text(self.more_button, more_text)
        self.more_button.setAccessibleName(more_text)
        self._about_label.setText(about)
        missing = find_missing_effect(effects, rows)
        if missing and not self._effects_work.is_computing and not self._effects_work.error_message:
            self._effects_work.request_effect(missing)

    def _show_effect(self, effects: ColumnEffects, column: int) -> None:
        if column not in effects.dependences:
            self.effect.show_empty_state(tr("Its effect is not known yet."))
            return
        classes = effects.plan.classes
        code = find_described_class(effects.dependences[column], effects.plan)
        if len(classes) > 2:
            self.classes.set_choices(list(enumerate(classes)))
            self.classes.suggest(code)
            code = self.classes.key
        effect = ColumnEffectFigure(effects, column, code)
        self.effect.show_figure(
            effect.make_figure(), tr("Effect of a column"), lambda at: effect.describe_at(at.x)
        )

    def _show_work(self) -> None:
        work = self._effects_work
        offer: tuple[str, ...] = ()
        if work.plan is None:
            offer = "", tr("Reading the columns…")
        elif work.effects is None or not work.effects.is_complete:
            offer = MnemonicText(tr("&Compute")), describe_plan(work.plan)
        self.strip.setVisible(self.strip.follow(work, *offer))


class ColumnsPlot(HelperPlot[ColumnEffectsPlan, ColumnsData]):
    """Shows the known importance and effects, and computes more on request."""

    key = "columns"
    title = N_("What the ensemble looks at")
    search_terms = N_("feature importance columns variables partial dependence explain why effect")
    question = GOOD
    summary = N_("Which columns of the table the ensemble uses, and the effects of their values.")
    explanation = N_(
        "Importance: the values of one column are shuffled among rows that the members were not "
        "trained on. The increase of the ensemble's error is the importance of the column. The "
        "line at a bar's end is a 95 % interval: the range in which the bar would usually end "
        "with other rows and another shuffle. Where it reaches zero, the column may not matter.\n"
        "Effect of a column (partial dependence): what the ensemble predicts on average if all "
        "rows had this value in the column and kept everything else. The bars beneath show how "
        "many rows have such values; where there are few, the line is uncertain.\nOf two columns "
        "that carry the same information each can look unimportant, since the other remains. "
        "This describes the ensemble, not causes in the world.\nWhere the document does not keep "
        "the trained members, those with the largest weights are trained again, on the rows and "
        "with the seed of the search; the run does not change."
    )
    source = N_(
        "Breiman 2001, section 10, and Fisher, Rudin and Dominici 2019 (permutation importance); "
        "Friedman 2001, section 8.2 (partial dependence)"
    )
    task = make_column_plan
    waiting_message = N_("Reading the columns…")

    def __init__(self, helper: Helper) -> None:
        super().__init__(helper)
        self._cached_effects: dict[Hashable, ColumnEffects] = {}
        self.column_work = ColumnsWork(self.requesters, self._cached_effects)
        self.column_work.change_listeners.append(self._on_progress)
        self.view = self.add_view_choice(
            VIEWS,
            tr("View of the columns"),
            tr("How much each column matters, or the effect of one column's values"),
        )
        tip = tr("The column whose effect is shown")
        self.column = Chooser(tr("Column whose effect is shown"), tip, 9)
        self.classes = _make_class_chooser()
        self.column.chosen.connect(self.refresh)
        self.classes.chosen.connect(self.refresh)
        self.strip = ComputationStrip(self.column, self.classes)
        self.strip.requested.connect(self.start_computation)
        self.strip.cancelled.connect(self.column_work.stop)
        self._content.insertWidget(0, self.strip)

    # Updates ---------------------------------------------------------------------------------

    def clear(self) -> None:
        super().clear()
        self.column_work.clear()
        self.column.reset()
        self.classes.set_choices(())
        self._cached_effects.clear()

    def read(self, answer: ColumnEffectsPlan, subject: Subject) -> ColumnsData:
        """Return the plan with this ensemble's results, or otherwise the last computed ones."""
        exact = self._cached_effects.get(subject.members)
        earlier = (e for e in self._cached_effects.values() if e.iteration <= subject.iteration)
        latest = max(earlier, key=lambda each: each.iteration, default=None)
        return ColumnsData(answer, exact or latest, exact is not None)

    # Computation -----------------------------------------------------------------------------

    def start_computation(self) -> None:
        """Start the computation for the selected ensemble."""
        subject, work = self.subject, self.column_work
        if subject is None or subject.iteration < 1 or work.is_computing:
            return
        work.set_ensemble(subject.members, subject.common_arguments)
        work.begin(self.column.key or "" if self.view.key == DEPENDENCE else "")

    def _on_progress(self) -> None:
        if self.column_work.is_computing:
            self.strip.follow(self.column_work)
        else:
            self.refresh()

    # Drawing ---------------------------------------------------------------------------------

    def make_figure(self, data: ColumnsData, subject: Subject) -> Figure:
        """Return the bars, or the effect of one column."""
        self._set_column_choices(data)
        effect = self._get_effect(data)
        self._show_available_work(data, is_drawn=effect is not None)
        if effect is not None:
            figure = effect.make_figure()
        else:
            figure = make_importance_figure(data.plan, data.effects, self._get_bars(data))
        return replace(figure, summary=figure.summary or tr(SUMMARIES[self.view.key]))

    def _get_bars(self, data: ColumnsData) -> Sequence[int]:
        """Return the bars that fit, from top to bottom."""
        return data.bars[: min(MAX_BARS, max(_MIN_BARS, self.max_named_rows))]

    def _get_effect(self, data: ColumnsData) -> ColumnEffectFigure | None:
        """Return the effect to draw; ``None`` if bars are shown."""
        effects, name = data.effects, self.column.key
        if self.view.key != DEPENDENCE or effects is None or name not in effects.plan.names:
            return None
        column, code = effects.plan.names.index(name), self.classes.key or 0
        return ColumnEffectFigure(effects, column, code) if column in effects.dependences else None

    def _set_column_choices(self, data: ColumnsData) -> None:
        """Set the choices of columns, and of classes for the chosen column's effect."""
        names = [data.plan.names[k] for k in data.order]
        self.column.set_choices([(name, translate_name(name)) for name in names])
        if names:
            self.column.suggest(names[0])  # the most important column, once known
        self.column.setVisible(self.view.key == DEPENDENCE)
        effect = self._get_effect(data)
        classes = () if effect is None else effect.effects.plan.classes
        self.classes.setVisible(bool(classes))
        if effect is not None and classes:
            default_class = find_described_class(effect.compared, effect.effects.plan)
            self.classes.set_choices(list(enumerate(classes)), default_class)

    def _show_available_work(self, data: ColumnsData, *, is_drawn: bool) -> None:
        """Show the available computation in the line above, unless one is running."""
        effects = data.effects
        button: str = MnemonicText(tr("&Compute"))
        if effects is None:
            text = describe_plan(data.plan)
        elif not data.is_current:
            button = MnemonicText(tr("&Compute again"))
            text = tr(
                "Computed at iteration {iteration}; the current ensemble is different.",
                iteration=effects.iteration,
            )
        elif self.view.key == DEPENDENCE and not is_drawn:
            name = self.column.currentText()
            text = tr("The effect of {name} is not computed yet.", name=name)
        else:
            button, text = "", " ".join(translate(note) for note in effects.notes)
        is_visible = self.strip.follow(self.column_work, button, text)
        self.strip.setVisible(is_visible or self.view.key == DEPENDENCE)

    # Read-out --------------------------------------------------------------------------------

    def describe_hovered(self, data: ColumnsData, subject: Subject, pointer: Pointer) -> str:
        effect, bar = self._get_effect(data), self._find_bar(data, pointer)
        if effect is not None:
            return effect.describe_at(pointer.x)
        if bar is None:
            return ""
        name = name_bar(data.plan, data.effects, bar)
        if data.effects is None:
            return tr("{name}: not computed yet", name=name)
        text = format_rise(data.effects, bar)
        return tr("{name} shuffled: {text}  ·  click: its effect", name=name, text=text)

    def _find_bar(self, data: ColumnsData, pointer: Pointer) -> int | None:
        """Return the bar at the pointer, if any."""
        bars, row = self._get_bars(data), round(pointer.y)
        return bars[row] if 0 <= row < len(bars) else None

    def handle_click(self, data: ColumnsData, pointer: Pointer) -> None:
        """Show the effect of the clicked bar's column."""
        bar = self._find_bar(data, pointer)
        if data.effects is None or self._get_effect(data) is not None or bar is None:
            return
        self.column.show_key(data.plan.names[data.get_column(bar)])
        self.view.show_key(DEPENDENCE)

    def get_table_columns(self, data: ColumnsData, subject: Subject) -> Columns:
        effect = self._get_effect(data)
        if effect is not None:
            return effect.get_table()
        return tabulate_importances(data.plan, data.effects)
