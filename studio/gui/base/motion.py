"""Durations of animations; none where the user prefers no motion."""

from PySide6.QtCore import QEasingCurve, QPropertyAnimation
from PySide6.QtWidgets import QGraphicsOpacityEffect, QStyle, QWidget

from studio.gui.base import preferences
from studio.gui.base.preferences import REDUCED

MILLISECONDS = 160
"""Duration of a state change's animation."""

EASE = QEasingCurve.Type.OutCubic
"""It begins at once and ends gently."""


def milliseconds(widget: QWidget) -> int:
    """Return the duration of an animation; 0 where the user or the system wants none."""
    if preferences.load().motion == REDUCED:
        return 0
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return min(MILLISECONDS, widget.style().styleHint(hint))


def fade_in(widget: QWidget) -> None:
    """Let a widget that is shown now appear softly."""
    duration = milliseconds(widget)
    if not duration:
        return
    effect = QGraphicsOpacityEffect(widget)
    widget.setGraphicsEffect(effect)
    motion = QPropertyAnimation(effect, b"opacity", effect)
    motion.setEasingCurve(EASE)
    motion.setDuration(duration)
    motion.setStartValue(0.0)
    motion.setEndValue(1.0)
    # Without the effect it is drawn directly again; the motion belongs to the effect.
    motion.finished.connect(lambda: widget.setGraphicsEffect(None))  # type: ignore[arg-type]
    motion.start()
