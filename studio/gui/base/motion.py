"""Durations of animations; zero if the user prefers no motion."""

from PySide6.QtCore import QEasingCurve, QPropertyAnimation
from PySide6.QtWidgets import QGraphicsOpacityEffect, QStyle, QWidget

from studio.gui.base import preferences
from studio.gui.base.preferences import REDUCED_MOTION

MILLISECONDS = 160
"""Duration of a state change's animation."""

EASE = QEasingCurve.Type.OutCubic
"""Easing curve: fast at the start, slow at the end."""


def get_duration(widget: QWidget) -> int:
    """Return the duration of an animation; 0 if the user or the system disables animations."""
    if preferences.load().motion == REDUCED_MOTION:
        return 0
    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return min(MILLISECONDS, widget.style().styleHint(hint))


def fade_in_widget(widget: QWidget) -> None:
    """Fade in a widget when it is shown."""
    duration = get_duration(widget)
    if not duration:
        return
    effect = QGraphicsOpacityEffect(widget)
    widget.setGraphicsEffect(effect)
    motion = QPropertyAnimation(effect, b"opacity", effect)
    motion.setEasingCurve(EASE)
    motion.setDuration(duration)
    motion.setStartValue(0.0)
    motion.setEndValue(1.0)
    # Removing the effect restores direct painting; the animation belongs to the effect.
    motion.finished.connect(lambda: widget.setGraphicsEffect(None))  # type: ignore[arg-type]
    motion.start()
