"""View of the ensemble's errors: the plot of the Live page, for the final ensemble."""

from dataclasses import replace

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QSizePolicy

from studio.gui.base import theme
from studio.gui.pages.results.views.decide_model import describe_decision_link
from studio.gui.pages.results.who_first.reasons import ReasonsCard, explain_missing_reasons
from studio.gui.plots.base.helper_requests import ResultView, ViewContext
from studio.gui.plots.base.plot import PlotExport
from studio.gui.plots.base.subjects import Subjects
from studio.gui.plots.quality.errors import ErrorsPlot
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.language import tr
from studio.questions.columns.answer import N_NAMED_COLUMNS

_MIN_HEIGHT = 200


class ErrorsPage(ResultView):
    """Confusion matrix and curves, or predicted against true, and the worst rows."""

    shows_effects = True

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        session = context.session
        self._subjects = Subjects(session)
        session.document_changed.connect(self._subjects.clear)
        self.plot = ErrorsPlot(context.requesters.helper)
        self.plot.n_informative = N_NAMED_COLUMNS  # until the most important ones are known
        session.document_changed.connect(self.plot.reset_view)
        self.plot.header.tip = ""  # the view has only this plot
        self.plot.header.set_tooltip_text("")
        # Expand to the available height: the default is 480 pixels at any scale.
        self.plot.canvas.setMinimumHeight(theme.pixels(_MIN_HEIGHT))
        self.plot.canvas.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        # Once the plot's parts have their new sizes, on which square panels depend:
        redraw_timer = QTimer(self, interval=0, singleShot=True)
        redraw_timer.timeout.connect(self._redraw)
        self.plot.redraw_requested.connect(redraw_timer.start)
        plot_export = PlotExport(lambda: session.path.parent if session.path else None, self)
        plot_export.done.connect(self.action_finished)
        plot_export.fill(self.plot.header.menu, self.plot)
        self.decide_button = kit.button(
            "",
            lambda: self.view_requested.emit("decide"),
            kind="link",
            name=tr("Decision"),
            tip=tr("From which probability should a row get its label?"),
        )
        tip = tr("The rows with the largest errors, one by one")
        self.worst_rows_button = kit.button(
            tr("See the worst rows"), self.plot.show_list, kind="link", tip=tip
        )
        self.reasons = ReasonsCard(
            context.requesters.make_part_factory("worst"), for_table_rows=True
        )
        self.reasons.row_requested.connect(lambda _, row: self.table_row_requested.emit(row))
        self._view: RunView | None = None
        self._marked, self._has_test_file = 0, False
        self._mark_row(0)
        context.effects.change_listeners.append(self._show_columns)
        self.plot.row_marked.connect(self._mark_row)
        self.plot.row_opened.connect(self._open_row)
        self.sentence = self.plot.sentence = kit.label("", "section", wrap=True, selectable=True)
        self.plot.note_label = kit.label("", "small", wrap=True)
        for each in (self.sentence, self.plot.note_label):
            each.hide()
        policy = self.sentence.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # it arrives late and must not move the plot
        self.sentence.setSizePolicy(policy)
        spacing = 2 * theme.GRID
        header = kit.column(
            self.sentence,
            kit.row(self.decide_button, self.worst_rows_button, None, spacing=spacing),
            self.plot.note_label,
            spacing=theme.GRID // 2,
        )
        kit.column(header, (kit.make_card(self.plot, margin=0), 1), self.reasons, parent=self)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show the chosen run at its last iteration, independent of the Live page."""
        self._view = view
        self.decide_button.setText(describe_decision_link(view.row))
        self.decide_button.setVisible(view.settings.source.task == "binary")
        self.plot.positive_class = view.row.positive_class
        self._has_test_file = bool(view.settings.source.test_path)
        subject = self._subjects.get_current()
        if subject is not None and self.isVisible():
            self.plot.follow(replace(subject, selected_iteration=None, overlays=()))

    def _redraw(self) -> None:
        if self.isVisible():
            self.plot.refresh()

    def _show_columns(self) -> None:
        """Show the most important columns next to the worst rows."""
        effects = self.tools.effects.effects
        if effects is None or not effects.is_complete:
            return
        sources = dict.fromkeys(effects.plan.sources[each] for each in effects.order.tolist())
        self.plot.listed_columns = tuple(sources)[:N_NAMED_COLUMNS]
        if self._view is not None:
            self.show_run(self._view, ready=True)

    def _mark_row(self, number: int, answer: int = 0) -> None:
        """Explain the prediction (class or number) of a marked row, if the run's table has it."""
        data = self.plot.data
        if data is not None and data.is_test and self._has_test_file:
            number = 0  # rows of the second file are numbered separately
        self._marked = number
        if not number or self._view is None:
            self.reasons.clear()
            return
        arguments = {"path": str(self.tools.session.path), "run_id": self._view.row.id}
        blocking_reason = explain_missing_reasons(self._view)
        self.reasons.show_row(arguments, number, {}, answer, blocking_reason=blocking_reason)

    def _open_row(self, number: int) -> None:
        self._mark_row(number)
        if self._marked:
            self.table_row_requested.emit(self._marked)
