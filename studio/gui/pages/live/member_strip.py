"""Strip of the ensemble's members, animated as members join and leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QRectF, Qt, QVariantAnimation
from PySide6.QtGui import (
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from studio.figures.ink import ENSEMBLE, Ink, make_series_ink
from studio.gui.base import motion, theme
from studio.gui.base.inks import get_colour
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.plots.base.subjects import Subject
from studio.gui.plots.painting.legend import Legend, LegendEntry
from studio.gui.plots.painting.scale import get_text_colour_on_fill
from studio.gui.session.learner_names import (
    get_learner,
    get_learner_inks,
    get_learner_name,
    get_learner_short_name,
)
from studio.gui.widgets import kit
from studio.language import format_share, ntr, tr


@dataclass(frozen=True)
class MemberSegment:
    """A member of the ensemble; ``weight`` is in [0, 1]."""

    number: int
    name: str
    ink: Ink
    weight: float
    tooltip: str
    short_name: str = ""


def list_shares(subject: Subject) -> tuple[MemberSegment, ...]:
    """Return the current members, grouped by learner, by descending weight."""
    run = subject.series
    inks = get_learner_inks(run.branches) | {"": make_series_ink(ENSEMBLE)}
    shares = [
        _make_share(subject, number, weight, inks) for number, weight in subject.deciding_members
    ]
    total_weights: dict[str, float] = {}
    for each in shares:
        total_weights[each.name] = total_weights.get(each.name, 0.0) + each.weight

    def get_key(each: MemberSegment) -> tuple[float, str, float, int]:
        return -total_weights[each.name], each.name, -each.weight, each.number

    return tuple(sorted(shares, key=get_key))


def _make_share(
    subject: Subject, number: int, weight: float, inks: Mapping[str, Ink]
) -> MemberSegment:
    series = subject.series
    trial, branch = series.get_trial(number), series.get_branch(number)
    key = "" if trial is None else get_learner(trial.configuration)
    name = get_learner_name(key or branch) or tr("Model")
    tooltip = tr(
        "{name}, trial {number}: weight {weight}, own error {loss}",
        name=name,
        number=number,
        weight=format_share(weight),
        loss=series.measure.format_briefly(None if trial is None else trial.loss),
    )
    short_name = get_learner_short_name(key or branch) or name
    return MemberSegment(
        number, name, inks.get(branch, make_series_ink(ENSEMBLE)), weight, tooltip, short_name
    )


def make_legend_entries(shares: Sequence[MemberSegment]) -> list[tuple[str, Ink]]:
    """Return the legend's text of each learner: "Random forest 31 %", or "2 × … 31 %"."""
    return [
        (_format_group_names(members)[0], members[0].ink) for members in _group_by_learner(shares)
    ]


def _group_by_learner(shares: Sequence[MemberSegment]) -> list[list[MemberSegment]]:
    return [list(group) for _, group in groupby(shares, key=lambda each: each.name)]


def _format_group_names(members: Sequence[MemberSegment]) -> tuple[str, ...]:
    """Return texts for the members of one learner, with their weight, the longest first."""
    name, short_name = members[0].name, members[0].short_name or members[0].name
    weight = format_share(sum(each.weight for each in members), 0)
    if len(members) > 1:
        name, short_name = (
            tr("{count} × {name}", count=len(members), name=each) for each in (name, short_name)
        )
    return (
        tr("{name} {weight}", name=name, weight=weight),
        tr("{name} {weight}", name=short_name, weight=weight),
        short_name,
    )


_HEIGHT = 28

_INSIDE, _NOTCH = 6, 0.15
"""Pixels on either side of a name in the bar; height of the gaps as a share of the bar's."""

_MAX_ROWS = 5
"""Maximum number of rows of names, which suffices for the learners of two runs side by side."""


class WeightBar(QWidget):
    """A bar divided among the members by weight; ``shows_names`` shows those that fit."""

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.shows_names = False
        self._order: list[MemberSegment] = []
        self._old_weights: dict[int, float] = {}
        self._new_weights: dict[int, float] = {}
        self._motion = QVariantAnimation(self)
        self._motion.setStartValue(0.0)
        self._motion.setEndValue(1.0)
        self._motion.setEasingCurve(motion.EASE)
        self._motion.valueChanged.connect(lambda _: self.update())
        self._motion.finished.connect(self._end_animation)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Set the height for the current scale."""
        self.setFixedHeight(theme.pixels(_HEIGHT))

    def show_shares(self, shares: Sequence[MemberSegment]) -> None:
        """Show these members; changes are animated while the strip is visible."""
        new_weights = {each.number: each.weight for each in shares}
        old_weights = self.get_weights()
        leaving = [each for each in self._order if each.number not in new_weights]
        self._order = [*shares, *leaving]
        if new_weights == self._new_weights:
            self.update()
            return
        self._old_weights, self._new_weights = old_weights, new_weights
        self._motion.stop()
        duration = motion.get_duration(self)
        if duration and self.isVisible() and self._old_weights:
            self._motion.setDuration(duration)
            self._motion.start()
        else:
            self._end_animation()

    def get_weights(self) -> dict[int, float]:
        """Return each member's current share of the width, by trial; they sum to 1 at rest."""
        if self._motion.state() != QVariantAnimation.State.Running:
            return dict(self._new_weights)
        share = float(self._motion.currentValue())
        return {
            each.number: (1 - share) * self._old_weights.get(each.number, 0.0)
            + share * self._new_weights.get(each.number, 0.0)
            for each in self._order
        }

    def _end_animation(self) -> None:
        self._order = [each for each in self._order if each.number in self._new_weights]
        self.update()

    def _compute_segments(self) -> list[tuple[MemberSegment, QRectF]]:
        weights, left, areas = self.get_weights(), 0.0, []
        total = sum(weights.values()) or 1.0
        for each in self._order:
            width = self.width() * weights.get(each.number, 0.0) / total
            areas.append((each, QRectF(left, 0.0, width, self.height())))
            left += width
        return areas

    def show_names_inside(self, show_names: bool) -> None:
        """Show the learners' names in the bar, or leave them to a legend."""
        if show_names != self.shows_names:
            self.shows_names = show_names
            self.update()

    def get_visible_names(self) -> dict[str, str]:
        """Return the text that fits in the bar by learner; empty for none.

        Names are short in the whole bar if one of them does not fit in full.
        """
        metrics = QFontMetrics(theme.font(theme.SMALL))
        groups = self._compute_groups()

        def fits(text: str, area: QRectF) -> bool:
            return metrics.horizontalAdvance(text) + 2 * _INSIDE <= area.width()

        full_names = {members[0].name: _format_group_names(members)[0] for members, _ in groups}
        if all(fits(full_names[members[0].name], area) for members, area in groups):
            return full_names
        return {
            members[0].name: next(
                (each for each in _format_group_names(members)[1:] if fits(each, area)), ""
            )
            for members, area in groups
        }

    def _compute_groups(self) -> list[tuple[list[MemberSegment], QRectF]]:
        """Return the current members of each learner, and their section of the bar."""
        present = [
            (each, area)
            for each, area in self._compute_segments()
            if each.number in self._new_weights
        ]
        groups = []
        for _, group in groupby(present, key=lambda pair: pair[0].name):
            pairs = list(group)
            group_area = pairs[0][1].united(pairs[-1][1])
            groups.append(([each for each, _ in pairs], group_area))
        return groups

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        texts = (each.tooltip for each, area in self._compute_segments() if area.contains(position))
        self.setToolTip(make_plain_tip(next(texts, "")))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the members, faded while leaving; before the first one, draw an empty bar."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(self.rect()), theme.CONTROL, theme.CONTROL)
        painter.setClipPath(outline)
        painter.fillRect(self.rect(), theme.colour(theme.current().raised))
        name = ""
        for each, area in self._compute_segments():
            is_member = each.number in self._new_weights
            # Gaps within a learner are narrower than between learners.
            gap = 1.0 if each.name == name else 3.0
            name = each.name
            segment = area.adjusted(min(gap, area.width() / 2), 0, 0, 0) if area.left() else area
            painter.fillRect(
                segment, get_colour(each.ink if is_member else each.ink.with_opacity(0.35))
            )
        if self.shows_names:
            self._paint_names(painter)
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        names = self.get_visible_names()
        painter.setFont(theme.font(theme.SMALL))
        for members, area in self._compute_groups():
            if not names[members[0].name]:
                continue
            # The gaps between its members stay below the name.
            background = area.adjusted(3.0 if area.left() else 0.0, 0, 0, -_NOTCH * area.height())
            painter.fillRect(background, get_colour(members[0].ink))
            painter.setPen(get_text_colour_on_fill(get_colour(members[0].ink)))
            text_area = area.adjusted(_INSIDE, 0, 0, 0)
            painter.drawText(text_area, Qt.AlignmentFlag.AlignVCenter, names[members[0].name])


class MemberStrip(QFrame):
    """The number of members, the bar of their weights, and their names."""

    def __init__(self) -> None:
        super().__init__()
        self.count_label = kit.label("", "section")
        self.bar = WeightBar()
        self.legend = Legend(theme.BODY)
        self.names = QFrame()
        kit.column(self.legend, parent=self.names)
        self.legend.limit_rows(_MAX_ROWS)
        self.is_compact = False
        self._shares: tuple[MemberSegment, ...] = ()
        self._words = ""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * theme.GRID)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.count_label, 0, 0)
        self._grid.addWidget(self.bar, 1, 0, 1, 2)
        self._grid.addWidget(self.names, 2, 0, 1, 2)
        theme.get_notifier().changed.connect(self._apply_theme)
        self.show_shares(())

    def set_compact(self, compact: bool) -> None:
        """Place the names next to the number (in short windows) or below the bar."""
        if compact == self.is_compact:
            return
        self.is_compact = compact
        if compact:
            self._grid.addWidget(self.names, 0, 1)
        else:
            self._grid.addWidget(self.names, 2, 0, 1, 2)
        self.bar.show_names_inside(compact)
        self._show_count()
        self.legend.limit_rows(1 if compact else _MAX_ROWS)
        self._show_names()

    def show_shares(
        self, shares: Sequence[MemberSegment], run: str = "", *, ended: bool = False
    ) -> None:
        """Show these members, of the run of this name if there are several."""
        self._shares = tuple(shares)
        self.bar.show_shares(shares)
        self._show_names()
        text = ntr("The ensemble: {count} model", "The ensemble: {count} models", len(shares))
        if len(shares) == 1:
            text = tr("One model")
        if not shares:
            text = tr("The ensemble starts with the first evaluated model")
            if ended:
                text = tr("No ensemble: no model was evaluated")
        elif run:
            models = ntr("{count} model", "{count} models", len(shares))
            text = tr("{run}: {models}", run=run, models=models)
        self._words = text
        self._show_count()
        self.setAccessibleName(text)
        entries = make_legend_entries(shares)
        self.setAccessibleDescription(", ".join(text for text, _ in entries))

    def _show_count(self) -> None:
        """Show the number of members, abbreviated if names are next to it."""
        is_brief = self.is_compact and len(self._shares) > 1
        text = (
            ntr("{count} member", "{count} members", len(self._shares)) if is_brief else self._words
        )
        self.count_label.setText(text)

    def _show_names(self) -> None:
        """Show all names in the legend, or only those that do not fit in the bar."""
        names_in_bar = self.bar.get_visible_names() if self.is_compact else {}
        remaining = [each for each in self._shares if not names_in_bar.get(each.name)]
        # One row beside the number has space for few words only.
        label_row = -1 if self.is_compact else 0
        self.legend.show_entries(
            [
                LegendEntry(_format_group_names(members)[label_row], "square", members[0].ink)
                for members in _group_by_learner(remaining)
            ]
        )
        self.legend.setVisible(True)  # its space is kept

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update which names fit in the bar."""
        super().resizeEvent(event)
        if self.is_compact:
            self._show_names()

    def _apply_theme(self, _: object) -> None:
        self.bar.apply_theme()
        self.legend.apply_theme()
