"""pytest-qt's bot without time limits, for styled windows.

Events that never come are ended by ``faulthandler_timeout`` (pyproject.toml), with all stacks.
"""

import math
from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.gui.base import theme

_NEVER = 2**31 - 1
"""Milliseconds; Qt's maximum (25 days)."""


class PatientBot(QtBot):
    """Waits for conditions and signals, by default without a time limit; styles windows."""

    def addWidget(self, widget: QWidget, **how: Any) -> None:  # noqa: N802
        super().addWidget(widget, **how)
        if not widget.styleSheet():
            theme.style_window(widget)

    def waitUntil(  # noqa: N802
        self, callback: Callable[[], bool | None], *, timeout: float = math.inf
    ) -> None:
        def is_met() -> bool | None:
            # An exception in an event's handler would otherwise end the test only after its wait.
            self._request.node.qt_exception_capture_manager.fail_if_exceptions_occurred("CALL")
            return callback()

        super().waitUntil(is_met, timeout=timeout)

    def waitSignal(  # noqa: N802
        self, signal: Any, *, timeout: int | None = None, **how: Any
    ) -> Any:
        return super().waitSignal(signal, timeout=timeout, **how)

    def waitSignals(  # noqa: N802
        self, signals: Any, *, timeout: int | None = None, **how: Any
    ) -> Any:
        return super().waitSignals(signals, timeout=timeout, **how)

    def waitExposed(self, widget: QWidget, *, timeout: int = _NEVER) -> Any:  # noqa: N802
        return super().waitExposed(widget, timeout=timeout)

    def waitActive(self, widget: QWidget, *, timeout: int = _NEVER) -> Any:  # noqa: N802
        return super().waitActive(widget, timeout=timeout)
