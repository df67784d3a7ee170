"""View of the learning curve: cost, job, and conclusion."""

from typing import Any

from studio.analysis.answers.learning_curve import CurveCost, LearningCurve, describe_last_step
from studio.analysis.learning_curve.storage import load_curve
from studio.figures.axes import WIDTH, Axes, choose_ticks
from studio.figures.ink import ENSEMBLE
from studio.figures.shapes import Diagram, Dot, Path, Shape, TextLabel, get_series_colour
from studio.gui.base.theme import GRID
from studio.gui.pages.results.cards.job_line import JobLine
from studio.gui.pages.results.cards.reason_label import ReasonLabel, describe_reason
from studio.gui.pages.results.views.model import make_displayed_result
from studio.gui.plots.base.helper_requests import Query, ResultView, ViewContext
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.gui.widgets.diagram_view import DiagramView, DrawnDiagram
from studio.helper.answers import decode
from studio.helper.computations import estimate_curve_cost
from studio.language import group_digits, ntr, tr, translate
from studio.measure import format_duration, format_loss, make_tick_formatter

_AXIS_MARGIN, _HEIGHT = 0.06, 270.0

_MAX_BAR_SHARE = 0.5
"""Maximum length of a bar beyond the curve, relative to the height of the curve."""

_STROKE = 10.0
"""Half of the length of the strokes at the ends of the forecast's interval, in pixels."""

_PREVIEW, _MARGIN, _LINE = 112.0, 8.0, 16.0
"""Height of the preview figure, its side margins, and the height of a line of text.
"""


def draw_curve(curve: LearningCurve, metric: str, unit: str) -> Diagram:
    """Return the figure of a learning curve with at least one point; ``unit`` is that of losses."""
    low, high = _choose_loss_range(curve)
    last = 2 * curve.rows[-1] if curve.fitted else curve.rows[-1]
    axes = Axes(
        (0, 1.04 * last),
        (low, high),
        tr("training rows"),
        metric,
        height=_HEIGHT,
        x_text=lambda value: group_digits(round(value)),
        y_text=make_tick_formatter(choose_ticks(low, high), unit),
    )
    shapes: list[Shape] = axes.draw_frame()
    for rows, interval in zip(curve.rows, zip(curve.low, curve.high, strict=True), strict=True):
        shapes += _draw_bar(axes, rows, interval)
    fitted_points = list(zip(curve.fitted_rows, curve.fitted, strict=True))
    for part, dashed in (
        ([each for each in fitted_points if each[0] <= curve.rows[-1]], False),
        ([each for each in fitted_points if each[0] >= curve.rows[-1]], True),
    ):
        points = tuple((axes.to_x(rows), axes.to_y(value)) for rows, value in part)
        shapes.append(Path(points, get_series_colour(ENSEMBLE), 2.0, dashed=dashed))
    for rows, value in zip(curve.rows, curve.losses, strict=True):
        series_colour = get_series_colour(ENSEMBLE)
        shapes.append(Dot(axes.to_x(rows), axes.to_y(value), 4.5, series_colour, has_outline=True))
    if curve.later is not None:
        shapes += _draw_forecast(axes, last, curve)
    return Diagram(
        "learning-curve", tr("Learning curve"), _make_caption(curve), WIDTH, _HEIGHT, tuple(shapes)
    )


def _choose_loss_range(curve: LearningCurve) -> tuple[float, float]:
    """Return the range of the losses' axis.

    The curve with its forecast decides. The bars of few test rows, many times as long, are cut
    off, as they would hide it.
    """
    ends = (curve.later_low, curve.later_high)
    values = [*curve.losses, *curve.fitted, *(end for end in ends if end is not None)]
    low, high = min(values), max(values)
    span = high - low
    bars = [end for end in (*curve.low, *curve.high) if end is not None]
    if span > 0:
        low = min(low, max(min(bars, default=low), low - _MAX_BAR_SHARE * span))
        high = max(high, min(max(bars, default=high), high + _MAX_BAR_SHARE * span))
    else:
        low, high = min([low, *bars]), max([high, *bars])
    margin = _AXIS_MARGIN * (high - low) or 1.0
    return max(0.0, low - margin), high + margin


def _has_cut_bars(curve: LearningCurve) -> bool:
    low, high = _choose_loss_range(curve)
    return any(end is not None and not low <= end <= high for end in (*curve.low, *curve.high))


def draw_preview(error_text: str, metric: str) -> Diagram:
    """Return a preview of the figure with the only known error, after training on all rows."""
    footer, middle = _PREVIEW - _LINE - 4, (_PREVIEW - _LINE) / 2
    shapes: list[Shape] = [
        Path(((_MARGIN, footer), (WIDTH - _MARGIN, footer)), "border"),
        TextLabel(_MARGIN, 10, metric, colour="muted"),
    ]
    for share, name in (
        (0.125, "⅛"),
        (0.25, "¼"),
        (0.5, "½"),
        (1.0, tr("all rows")),
        (2.0, tr("twice the rows")),
    ):
        x = _MARGIN + (WIDTH - 2 * _MARGIN) * share / 2.2
        shapes.append(TextLabel(x, footer + _LINE, name, "middle", "muted"))
        if share == 1.0:
            shapes.append(Dot(x, middle, 4.5, get_series_colour(ENSEMBLE), has_outline=True))
            shapes.append(TextLabel(x + 10, middle + 4, error_text, bold=True))
        else:
            shapes.append(Dot(x, middle, 9.0, "raised"))
            shapes.append(TextLabel(x, middle + 4, "?", "middle", "muted"))
    title = tr("Preview of the figure")
    return Diagram("learning-curve-preview", title, "", WIDTH, _PREVIEW, tuple(shapes))


def _make_caption(curve: LearningCurve) -> str:
    sentences = [
        tr("Dots: the error after training on that many rows; bars: 95 % intervals."),
        tr("All are evaluated on the same rows, so a step shorter than the bars may be clear."),
    ]
    if _has_cut_bars(curve):
        sentences.append(tr("Bars longer than the figure are cut off."))
    if curve.later is not None:
        sentences.append(
            tr(
                "Line: a fitted power law. Dashed and grey: its extrapolation to twice the rows, "
                "with a 90 % interval."
            )
        )
    return " ".join(sentences)


def _draw_bar(axes: Axes, rows: float, interval: tuple[float | None, float | None]) -> list[Shape]:
    """Return an interval as a bar, cut off at the ends of the axis."""
    low, high = interval
    if low is None or high is None:
        return []
    x = axes.to_x(rows)
    lowest, highest = axes.y_range
    y_low, y_high = (axes.to_y(min(max(end, lowest), highest)) for end in (low, high))
    return [Path(((x, y_low), (x, y_high)), "muted", 1.2)]


def _draw_forecast(axes: Axes, rows: float, curve: LearningCurve) -> list[Shape]:
    """Return the forecast as a dot, and its interval with end strokes wider than the dot."""
    assert curve.later is not None, "the caller checks it"
    x, shapes = axes.to_x(rows), list[Shape]()
    if curve.later_low is not None and curve.later_high is not None:
        ends = axes.to_y(curve.later_low), axes.to_y(curve.later_high)
        shapes.append(Path(((x, ends[0]), (x, ends[1])), "muted", 3.0))
        shapes += [Path(((x - _STROKE, y), (x + _STROKE, y)), "muted", 2.0) for y in ends]
    shapes.append(Dot(x, axes.to_y(curve.later), 4.5, "muted", has_outline=True))
    return shapes


class LearningCurveView(ResultView):
    """Trains the ensemble on growing shares of the rows, on request."""

    def __init__(self, context: ViewContext) -> None:
        super().__init__(context)
        self._view: RunView | None = None
        self._ready = False
        self._curves: dict[tuple[str, int, int], LearningCurve | None] = {}
        self._job_key: tuple[str, int, int] | None = None
        self._cost_requester = context.requesters(estimate_curve_cost, lambda *_: self._show())
        self.description_label = kit.label("", "muted", wrap=True)
        tip = tr("Train the members on growing shares of the rows")
        self.button = kit.button(tr("Find out"), self.start, kind="primary", icon="run", tip=tip)
        self.reason_label = ReasonLabel()
        self.line = JobLine(context.job_tracker, tr("Progress of the training"))
        self.sentence_label = kit.label("", "section", wrap=True, selectable=True)
        self.step_label = kit.label("", wrap=True, selectable=True)
        self.preview = DrawnDiagram(translated=True)
        self.picture = DiagramView(translated=True)
        self.note_label = kit.label("", "small", wrap=True)
        card = kit.make_card(
            kit.label(tr("Would more rows help?"), "section", wrap=True),
            self.sentence_label,
            self.step_label,
            self.description_label,
            self.preview,
            kit.row(self.button, None),
            self.reason_label,
            self.line,
            self.picture,
            self.note_label,
        )
        kit.column(card, None, parent=self, spacing=2 * GRID)
        context.job_tracker.changed.connect(self._show)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Enable the curve for an ended run, and show the stored one, if any."""
        other = self._view is None or view.row.id != self._view.row.id
        self._view, self._ready = view, ready and view.row.result is not None
        if other and not self.line.is_busy:
            self.line.show_text("")
        if self.isVisible() and self._ready:
            self._cost_requester.submit(self._make_query(view))
        self._show()

    def start(self) -> None:
        """Train and evaluate, and store the curve in the document."""
        if self._view is None or self.tools.job_tracker.is_busy:
            return
        self._job_key = self._make_curve_key(self._view)
        arguments = ["learning-curve", str(self.tools.session.path)]
        arguments += ["--run", str(self._view.row.id)]
        self.line.run(arguments, self._on_curve, tr("Reading the run…"))

    def _on_curve(self, answer: dict[str, Any]) -> None:
        assert self._job_key is not None
        self._curves[self._job_key] = decode(LearningCurve, answer, {})
        self._show()
        self.line.show_text("")  # last, so that the focus moves to the new sentence

    def _make_curve_key(self, view: RunView) -> tuple[str, int, int]:
        return str(self.tools.session.path), view.row.id, len(view.trials)

    def _make_query(self, view: RunView) -> Query:
        path, run, trials = self._make_curve_key(view)
        return Query({"path": path, "run_id": run}, (path, run), trials)

    def _get_curve(self, view: RunView) -> LearningCurve | None:
        """Return the stored curve of the run in its current state, if any."""
        key, run = self._make_curve_key(view), view.row.id
        if key not in self._curves:
            self._curves[key] = self.tools.session.read(lambda document: load_curve(document, run))
        return self._curves[key]

    def _show(self) -> None:
        view = self._view
        if view is None:
            return
        curve = self._get_curve(view)
        cost = self._cost_requester.get_answer(self._make_query(view))
        job_tracker = self.tools.job_tracker
        can_start = self._ready and cost is not None and not cost.reason
        self.description_label.setText(_describe_training(cost, shows_time=curve is None))
        self.button.setVisible(curve is None and not self.line.is_busy)
        self.button.setEnabled(can_start and not job_tracker.is_busy)
        job = "" if self.line.is_busy else job_tracker.subcommand
        reason = describe_reason(view, ready=self._ready, job=job) if curve is None else ""
        self.reason_label.show_reason(reason, [self.button])
        for widget in (self.sentence_label, self.picture, self.note_label):
            widget.setVisible(curve is not None)
        kit.show_text(self.step_label, translate(describe_last_step(curve)) if curve else "")
        self._show_preview(view, visible=curve is None and can_start)
        if curve is not None:
            self._show_curve(curve, self.tools.session.run_data.get_loss_unit(view))

    def _show_preview(self, view: RunView, *, visible: bool) -> None:
        """Show a preview of the figure, with the ensemble's error."""
        result = make_displayed_result(view) if visible else None
        self.preview.setVisible(result is not None)
        if result is not None:
            unit = self.tools.session.run_data.get_loss_unit(view)
            error_text = format_loss(result.ensemble.value, unit, result.loss_format)
            metric = translate(self.tools.models.get_title(result.metric))
            self.preview.show_diagram(
                lambda width: draw_preview(error_text, metric).stretch(width / WIDTH),
                tr("Preview of the figure"),
            )

    def _show_curve(self, curve: LearningCurve, unit: str) -> None:
        models = self.tools.models
        diagram = draw_curve(curve, translate(models.get_title(curve.metric)), unit)
        self.sentence_label.setText(translate(curve.sentence))
        self.picture.show_diagram(diagram)
        self.note_label.setText("\n".join([diagram.caption, *map(translate, curve.notes)]))


def _describe_training(cost: CurveCost | None, *, shows_time: bool) -> str:
    if cost is None:
        return tr(
            "Trains the ensemble on growing shares of the rows, and shows how its error falls."
        )
    if cost.reason:
        return translate(cost.reason)
    members = ntr("{count} member", "{count} members", cost.members)
    if cost.on == "test":
        rows = ntr("{count} test row", "{count} test rows", cost.rows)
    else:
        rows = ntr("{count} validation row", "{count} validation rows", cost.rows)
    text = tr(
        "Trains the {members} of the ensemble on growing shares of the rows, from an eighth to "
        "all ({trainings} fits), and evaluates them on the same {rows}.",
        members=members,
        trainings=group_digits(cost.trainings),
        rows=rows,
    )
    if not shows_time:
        return text
    return text + " " + tr("Takes about {time}.", time=format_duration(max(1.0, cost.seconds)))
