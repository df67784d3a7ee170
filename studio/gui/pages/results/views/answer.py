"""The result's quality: its error compared with the best single model's, and its members."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtWidgets import QFrame, QHeaderView

from studio.analysis.answers.predictions import DecisionFigures
from studio.analysis.decision_text import make_decided_parts
from studio.analysis.headline_text import HARMLESS_CAVEATS, describe_caveats, name_metric_baseline
from studio.analysis.loss_difference import describe_before_refit
from studio.analysis.more_time import advise_more_time
from studio.analysis.text_advice import advise_on_texts
from studio.analysis.verdict import make_verdict
from studio.data.metrics.plain_score import PlainScore
from studio.export.report.charts import make_headline_figure
from studio.figures.axes import WIDTH
from studio.figures.ink import ENSEMBLE, SINGLE
from studio.figures.intervals import IntervalRow, make_interval_diagram
from studio.figures.shapes import Diagram
from studio.gui.base.inks import get_colour
from studio.gui.base.theme import GRID
from studio.gui.pages.results.views.decide_model import describe_decision_link
from studio.gui.pages.results.views.model import (
    DisplayedLoss,
    DisplayedResult,
    MemberRow,
    add_contributions,
    make_contributions_query,
    make_displayed_result,
)
from studio.gui.plots.base.helper_requests import Query, ResultView, ViewContext
from studio.gui.session.control import increase_time_limit
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import describe_omitted_members
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DrawnDiagram
from studio.gui.widgets.leak_warning import LeakWarning
from studio.gui.widgets.records import ColumnSpec, RecordTable, wrap_header
from studio.helper.computations import compute_decision_figures, load_contributions, load_headline
from studio.language import N_, format_share, group_digits, ntr, tr, translate
from studio.measure import format_loss, format_loss_increase
from studio.numerals import NumeralFormat
from studio.questions.columns.answer import (
    describe_dominant_column,
    find_dominant_columns,
    name_important_columns,
)
from studio.runs.settings import explain_refit

LossGetter = Callable[[MemberRow], float | None]

_TEST_COLUMNS = (4, 6)

_WEAK_SHARE = 0.25
"""Share of the ensemble's gain over guessing below which a single member is hardly better."""

_MAJORITY_WEIGHT = 0.5
"""Weight from which a member outvotes all others."""

_MORE_MINUTES = 5

_MAX_ROWS = 30
"""Maximum number of members shown without scrolling."""


@dataclass(frozen=True)
class MemberLine:
    """A member's row in the table; ``bar_length`` is its bar's length in [0, 1]."""

    row: MemberRow
    bar_length: float
    unit: str
    loss_format: NumeralFormat
    contribution_format: NumeralFormat


def make_member_columns(metric: str) -> tuple[ColumnSpec[MemberLine], ...]:
    """Create the columns of the members; losses are named by the metric's title."""
    adds = tr(
        "By how much the ensemble's error would grow if this member were left out and the "
        "others kept their proportions. Negative: on these rows the ensemble would be better "
        "without it. In percentage points where errors are in percent, else in the metric's "
        "unit."
    )

    def make_loss_column(title: str, head_tip: str, get_loss: LossGetter) -> ColumnSpec[MemberLine]:
        return ColumnSpec(
            title,
            lambda m: format_loss(get_loss(m.row), m.unit, m.loss_format),
            head_tip,
            is_right_aligned=True,
        )

    def make_contribution_column(title: str, get_value: LossGetter) -> ColumnSpec[MemberLine]:
        return ColumnSpec(
            title,
            lambda m: format_loss_increase(get_value(m.row), m.unit, m.contribution_format),
            adds,
            is_right_aligned=True,
        )

    metric = wrap_header(metric)
    number_tip, text = tr("The number of the trial"), tr("Its hyperparameters")
    return (
        ColumnSpec(
            tr("Weight"),
            lambda m: format_share(m.row.weight, 0),
            tr("The member's weight in the ensemble"),
            value=lambda m: m.bar_length,
            is_right_aligned=True,
            has_bar=True,
        ),
        ColumnSpec(tr("Trial"), lambda m: str(m.row.trial), number_tip, is_right_aligned=True),
        ColumnSpec(
            tr("Model"),
            lambda m: m.row.algorithm,
            tr("The kind of model"),
            sign=lambda m: None if m.row.ink is None else get_colour(m.row.ink),
        ),
        make_loss_column(
            tr("{metric}\nvalidation", metric=metric),
            tr("Alone, on the validation rows"),
            lambda row: row.loss,
        ),
        make_loss_column(
            tr("{metric}\ntest", metric=metric),
            tr("Alone, on the test rows"),
            lambda row: row.test_loss,
        ),
        make_contribution_column(tr("Contribution\nvalidation"), lambda row: row.contribution),
        make_contribution_column(tr("Contribution\ntest"), lambda row: row.test_contribution),
        ColumnSpec(tr("Settings"), lambda m: m.row.settings, text, is_last=True, is_list=True),
    )


def _make_members_table() -> RecordTable[MemberLine]:
    table: RecordTable[MemberLine] = RecordTable(
        make_member_columns(tr("Error")), tr("Members of the ensemble")
    )
    header = table.horizontalHeader()
    header.setMinimumHeight(52)
    for section in range(7):
        header.setSectionResizeMode(section, QHeaderView.ResizeMode.ResizeToContents)
    return table


def show_members(
    table: RecordTable[MemberLine], result: DisplayedResult, unit: str, metric: str
) -> None:
    """Show the members of an outcome, with losses of the metric of this title."""
    max_weight = max((each.weight for each in result.members), default=1.0)
    for section in _TEST_COLUMNS:
        table.setColumnHidden(section, all(each.test_loss is None for each in result.members))
    losses = [loss for each in result.members for loss in (each.loss, each.test_loss)]
    loss_format = NumeralFormat.for_losses([loss for loss in losses if loss is not None])
    pairs = ((each.contribution, each.test_contribution) for each in result.members)
    changes = [change for pair in pairs for change in pair if change is not None]
    adds = NumeralFormat.for_values(changes, 3)
    lines = [
        MemberLine(each, each.weight / max_weight, unit, loss_format, adds)
        for each in result.members
    ]
    table.records.show(lines, make_member_columns(metric))
    table.show_rows(_MAX_ROWS)


class AnswerView(ResultView):
    """The members, and test errors of the ensemble and the best single model."""

    shows_effects = True

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._contributions_request = context.requesters(load_contributions, self._on_contributions)
        self._headline_request = context.requesters(load_headline, self._on_contributions)
        make_requester = context.requesters.make_part_factory("answer")
        self._score: PlainScore | None = None
        self._is_decided = False
        self._decisions = make_requester(compute_decision_figures, self._on_contributions)
        context.effects.change_listeners.append(self._show_important_columns)
        kit.column(
            self._build_headline(),
            self._build_chart(),
            self._build_members(),
            None,
            parent=self,
            spacing=2 * GRID,
        )

    def _build_headline(self) -> QFrame:
        self.verdict_label = kit.label("", "title", wrap=True, selectable=True)
        self._headline_label = kit.label("", "section", wrap=True, selectable=True)
        self.figure = DrawnDiagram()
        self._result_label = kit.label("", wrap=True, selectable=True)
        self.overruled, self.dominance = LeakWarning(), LeakWarning()
        for warning in (self.overruled, self.dominance):
            warning.exclusion_requested.connect(self.exclusion_requested)
        self._caution_label = kit.label("", "warning", wrap=True)
        self.text_label = kit.label("", wrap=True)
        self.text_button = kit.button(
            tr("Decide on the Data page"),
            lambda: self.page_requested.emit("data"),
            kind="link",
            tip=tr("Learn from the words of these columns; then run again"),
        )
        self._metric_label = kit.label("", wrap=True, selectable=True)
        self._time_label = kit.label("", wrap=True)
        text = tr("Continue for {minutes} min", minutes=_MORE_MINUTES)
        tip = tr("The run continues where it stopped and keeps all results")
        self.continue_button = kit.button(text, self._continue_run, kind="link", tip=tip)
        self.why_button = kit.button(
            "",
            lambda: self.view_requested.emit("why"),
            kind="link",
            name=tr("What matters most"),
            tip=tr("How much each column matters, and in which direction"),
        )
        self.decision_link = kit.button(
            "",
            lambda: self.view_requested.emit("decide"),
            kind="link",
            name=tr("Decision"),
            tip=tr("Its effect on the test rows; change or remove it"),
        )
        policy = self.why_button.sizePolicy()
        # its text arrives late and must not shift other content
        policy.setRetainSizeWhenHidden(True)
        self.why_button.setSizePolicy(policy)
        self.why_button.setMinimumWidth(1)  # long column names must not widen the page
        self._headline_card = kit.make_card(
            self.verdict_label,
            self._headline_label,
            self.figure,
            self._result_label,
            self.overruled,
            self._caution_label,
            self._metric_label,
            self.text_label,
            kit.row(self.text_button, None),
            self._time_label,
            kit.row(self.continue_button, None),
            kit.row(self.decision_link, None),
            kit.row(self.why_button, None),
            self.dominance,
        )
        return self._headline_card

    def _build_chart(self) -> QFrame:
        self.chart = DrawnDiagram(translated=True)
        self._chart_title_label = kit.label("", "section", wrap=True)
        self._difference_label = kit.label("", wrap=True, selectable=True)
        self._chart_note_label = kit.label("", "small", wrap=True)
        self.chart_card = kit.make_card(
            self._chart_title_label,
            GRID,
            self.chart,
            self._difference_label,
            self._chart_note_label,
        )
        return self.chart_card

    def _build_members(self) -> QFrame:
        self.members = _make_members_table()
        self._members_title_label = kit.label("", "section")
        frame, column = kit.card(margin=0)
        column.setContentsMargins(1, 2 * GRID, 1, 1)
        column.addLayout(
            kit.row(self._members_title_label, None, margin=(2 * GRID, 0, 2 * GRID, 0))
        )
        self._members_note_label = kit.label("", "small", wrap=True)
        self._members_note_label.setContentsMargins(2 * GRID, 0, 2 * GRID, 0)
        column.addWidget(self._members_note_label)
        kit.fill(column, (self.members, None))
        return frame

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show the run's outcome so far; request the members' contributions if visible."""
        result = make_displayed_result(view)
        if result is None:
            return
        query = make_contributions_query(str(self.tools.session.path), view)
        if self.isVisible() and view.row.prepared:
            self._contributions_request.submit(query)
        # The previous answer is shown until the new one arrives.
        contributions = self._contributions_request.get_answer(query)
        if contributions is not None:
            refitted = bool(result.is_final and view.row.result and view.row.result.refitted)
            result = add_contributions(result, contributions, refitted=refitted)
        self._show_headline(view, result)
        metric = translate(self.tools.models.get_title(result.metric))
        unit = self.tools.session.run_data.get_loss_unit(view)
        self._chart_title_label.setText(self._describe_chart(view, result, unit))
        self._show_chart(result, unit)
        self._difference_label.setText(translate(result.difference_note))
        self._difference_label.setVisible(bool(result.difference_note))
        self._chart_note_label.setText(describe_chart_note(result, unit))
        count = group_digits(len(result.members))
        self._members_title_label.setText(tr("Members ({count})", count=count))
        remarks = (explain_omitted_members, explain_weak_members, explain_test_models)
        notes = filter(None, (explain(result) for explain in remarks))
        kit.show_text(self._members_note_label, "\n".join(notes))
        show_members(self.members, result, unit, metric)

    def _show_chart(self, result: DisplayedResult, unit: str) -> None:
        """Draw losses with their intervals on one scale; lower (further left) is better.

        One, if the ensemble is the best single model itself.
        """
        losses = ((result.ensemble, ENSEMBLE), (result.single, SINGLE))
        formatter = partial(format_loss, unit=unit, number_format=result.brief_format)
        rows = [
            _make_interval_row(each, each.value, formatter, series)
            for each, series in losses[int(result.is_single_model) :]
            if each.value is not None
        ]
        description = "; ".join(f"{each.name}: {each.text}" for each in rows)
        draw = partial(make_interval_diagram, rows, unit, description, tr("lower is better"))
        self.chart.show_diagram(draw if rows else None, description)

    def _show_headline(self, view: RunView, result: DisplayedResult) -> None:
        """Show the headline, computed if a result from an older version lacks it."""
        score = result.headline
        if result.is_final and score is None:
            path = str(self.tools.session.path)
            query = Query({"path": path, "run_id": view.row.id}, (path, view.row.id), 0)
            score = self._headline_request.get_answer(query)
            if score is None and self.isVisible():
                self._headline_request.submit(query)
        self._headline_card.setVisible(score is not None or bool(result.overruled))
        self.overruled.show_warning(
            "\n".join(map(translate, result.overruled)),
            self.tools.session.run_data.find_overruled_columns(view),
            can_run=self.can_run_again(view),
        )
        if score is None:
            for label in (
                self._headline_label,
                self._result_label,
                self._caution_label,
                self._metric_label,
            ):
                label.hide()
            self._show_figure(None)
        else:
            positive_class, data = view.row.positive_class, self.tools.session.run_data
            # Results of older versions lack it.
            score = replace(score, target_unit=score.target_unit or data.get_target_unit(view))
            unit = data.get_loss_unit(view)
            outcome = self._find_outcome(view)
            first, details = make_decided_parts(score, positive_class, outcome)
            is_decided = view.row.decision is not None
            if is_decided and outcome is None:
                # These labels are not those of the decision, which are still being counted.
                first, details = (first, "") if score.get_ranking(positive_class) else ("", "")
            elif outcome is not None and outcome.reason:
                is_decided = False
                notice = tr("That is without the decision of this run.")
                details = f"{translate(details)} {notice}".strip()
            self._is_decided = is_decided
            kit.show_text(self._headline_label, kit.make_unbroken_heading(translate(first)))
            has_figure = not is_decided or score.get_ranking(positive_class) is not None
            self._show_figure(make_headline_figure(score, positive_class) if has_figure else None)
            kit.show_text(self._result_label, translate(details))
            run_result = view.row.result
            caveat = describe_caveats(score, positive_class, run_result, has_decision=is_decided)
            is_advice = caveat in HARMLESS_CAVEATS
            kit.show_text(self._caution_label, "" if is_advice else translate(caveat))
            text = self._describe_metric(replace(result, headline=score), unit)
            if is_advice:
                text = f"{translate(caveat)} {text}".strip()
            kit.show_text(self._metric_label, text)
        self._show_text_advice(view)
        self._show_time_advice(view)
        self.decision_link.setText(describe_decision_link(view.row))
        self.decision_link.setAccessibleName(self.decision_link.text())
        self.decision_link.setVisible(view.row.decision is not None)
        self._score = score
        self._show_important_columns()

    def _show_text_advice(self, view: RunView) -> None:
        """Advise on columns of free text for which the user has made no decision."""
        findings = self.tools.session.run_data.get_findings(view)
        decided = view.settings.source.decided_columns
        advice = "" if view.row.result is None else advise_on_texts(findings, decided)
        kit.show_text(self.text_label, translate(advice))
        self.text_button.setVisible(bool(advice))

    def _show_time_advice(self, view: RunView) -> None:
        """Offer to continue a run that tried hardly any models, unless it has a fixed limit."""
        can_continue = (
            view.has_ended
            and not view.pending_request
            and view.row.id not in self.tools.session.runs.study_runs
        )
        advice = advise_more_time(view.row.result, view.trials) if can_continue else ""
        kit.show_text(self._time_label, translate(advice))
        self.continue_button.setVisible(bool(advice))

    def _continue_run(self) -> None:
        view = self.tools.session.run_selection.run
        if view is not None:
            changes = increase_time_limit(view, _MORE_MINUTES)
            self.tools.session.control.send_request(view.row.id, "budget", changes)

    def _find_outcome(self, view: RunView) -> DecisionFigures | None:
        """Return the current decision's outcome, or why there is none; ``None`` while unknown."""
        decision = view.row.decision
        if decision is None:
            return None
        path = str(self.tools.session.path)
        run = {"path": path, "run_id": view.row.id}
        version = make_contributions_query(path, view).version
        query = Query(run, (*run.values(), decision), version)
        if self.isVisible():
            self._decisions.submit(query)
        return self._decisions.get_answer(query)

    def _show_figure(self, make: Callable[[float], Diagram] | None) -> None:
        """Show the headline's figure, if any."""
        self.figure.show_diagram(make, "" if make is None else make(WIDTH).title)

    def _describe_metric(self, result: DisplayedResult, unit: str) -> str:
        """Return the result in the run's metric, if the headline shows another one."""
        constant, ensemble = result.constant_loss, result.ensemble.value
        if constant is None or ensemble is None or not result.differs_from_headline:
            return ""
        return tr(
            "{metric}, the metric of this run: {value}; {baseline}: {guess}.",
            baseline=translate(name_metric_baseline(result.metric)),
            metric=translate(self.tools.models.get_title(result.metric)),
            value=format_loss(ensemble, unit, result.brief_format),
            guess=format_loss(constant, unit, result.brief_format),
        )

    def _show_important_columns(self) -> None:
        effects = self.tools.effects.effects
        text = name_important_columns(effects)
        policy = self.why_button.sizePolicy()
        is_pending = effects is None or not effects.is_complete
        policy.setRetainSizeWhenHidden(is_pending)  # otherwise it never appears
        self.why_button.setSizePolicy(policy)
        self.why_button.setText(text)
        self.why_button.setAccessibleName(text)
        self.why_button.setVisible(bool(text))
        view = self.tools.session.run_selection.run
        columns = find_dominant_columns(effects)
        self._show_verdict(view, columns)
        if effects is None or view is None or not columns:
            self.dominance.hide()
            return
        # One warning per column is enough.
        overruled = self.tools.session.run_data.find_overruled_columns(view)
        text = "" if {*columns} <= {*overruled} else describe_dominant_column(effects)
        self.dominance.show_warning(text, columns, can_run=self.can_run_again(view))

    def _show_verdict(self, view: RunView | None, dominant_columns: tuple[str, ...]) -> None:
        """Show the verdict, which agrees with the warning about dominant columns."""
        text = ""
        if view is not None and self._score is not None:
            row = view.row
            verdict = make_verdict(
                self._score,
                row.positive_class,
                row.result,
                dominant_columns,
                has_decision=self._is_decided,
            )
            text = kit.make_unbroken_heading(translate(verdict.sentence))
        kit.show_text(self.verdict_label, text)

    def _on_contributions(self, *_: object) -> None:
        view = self.tools.session.run_selection.run
        if view is not None:
            self.show_run(view, ready=view.has_ended)

    def _describe_chart(self, view: RunView, result: DisplayedResult, unit: str) -> str:
        metric = translate(self.tools.models.get_title(result.metric))
        if result.n_rows:
            rows = ntr("{count} test row", "{count} test rows", result.n_rows)
        else:
            rows = tr("test rows") if result.rows == "test" else tr("validation rows")
        target = view.settings.source.target
        if unit == "target" and target:
            text = N_("{metric} on {rows}, in the unit of “{target}”")
            return tr(text, metric=metric, rows=rows, target=target)
        return tr("{metric} on {rows}", metric=metric, rows=rows)


def _make_interval_row(
    each: DisplayedLoss, value: float, formatter: Callable[[float], str], index: int
) -> IntervalRow:
    text = formatter(value)
    if each.interval is not None:
        low, high = map(formatter, each.interval)
        text = tr("{value}   ({low} to {high})", value=text, low=low, high=high)
    return IntervalRow(each.title, value, each.interval, text, f"series {index}")


def explain_omitted_members(result: DisplayedResult) -> str:
    """Explain that plots of the search show more members than the result; "" if they do not."""
    text = describe_omitted_members(result.omitted_members)
    return f"{text} {tr('“Worth knowing” gives the reason.')}" if text else ""


def explain_test_models(result: DisplayedResult) -> str:
    """Explain which models' test errors are shown for the members; "" if unambiguous."""
    if result.test_models == "refitted":
        curves_text = tr(
            "The what-if ensemble and the Live curves show those of the models trained by the "
            "search, on fewer rows."
        )
        return f"{translate(explain_refit(result.training))} {curves_text}"
    if result.test_models == "searched":
        return tr(
            "Test errors of single members are those of the search's models; the "
            "error of the ensemble is that of its refitted members."
        )
    return ""


def explain_weak_members(result: DisplayedResult) -> str:
    """Explain members that alone are hardly better than guessing; "" if they hold the majority.

    This requires an ensemble better than guessing, as members are judged by a share of its gain.
    """
    ensemble, constant = result.ensemble.value, result.constant_loss
    if constant is None or ensemble is None or result.rows != "test" or ensemble >= constant:
        return ""
    threshold = constant - _WEAK_SHARE * (constant - ensemble)
    losses = ((each, each.test_loss) for each in result.members)
    weak_members = [each for each, loss in losses if loss is not None and loss > threshold]
    if not weak_members or sum(each.weight for each in weak_members) >= _MAJORITY_WEIGHT:
        return ""
    return ntr(
        "Trial {trials} alone is hardly better than guessing, or worse. The method chose it by "
        "what it does for the ensemble, where the other members outvote it: “Contribution” shows "
        "what would be lost without it.",
        "Trials {trials} alone are hardly better than guessing, or worse. The method chose them by "
        "what they do for the ensemble, where the other members outvote them: “Contribution” shows "
        "what would be lost without each.",
        len(weak_members),
        trials=", ".join(str(each.trial) for each in weak_members),
    )


def describe_chart_note(result: DisplayedResult, unit: str) -> str:
    """Explain the chart of losses: its rows, a refit, and the loss of guessing."""
    if not result.is_final:
        return tr(
            "Until the run has ended, these are validation errors, which are usually optimistic."
        )
    if result.rows != "test":
        return tr(
            "There are no test rows: these are validation errors, which are usually optimistic."
        )
    note = tr("Dots are errors on rows never used for choosing; bars are 95 % intervals.")
    if not result.is_single_model:
        note += " " + tr("The best single model was chosen on validation rows.")
    if result.is_significant_despite_overlap:
        note += " " + tr(
            "Overlapping intervals do not contradict this: the two are compared row by row."
        )
    formatter = partial(format_loss, unit=unit)
    before = describe_before_refit(result.before_refit, result.ensemble.value, formatter)
    note = "\n".join(filter(None, (note, before)))
    if result.constant_loss is None:
        return note
    guess = tr(
        "For comparison: {baseline} has an error of {error}.",
        baseline=translate(name_metric_baseline(result.metric)),
        error=format_loss(result.constant_loss, unit, result.brief_format),
    )
    return f"{note}\n{guess}"
