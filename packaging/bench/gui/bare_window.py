"""Minimum cost of a Qt window: show an empty one, print the time of its paint, and exit.

``python packaging/bench first-window`` runs this file beside the program, without importing the
program.
"""

import sys
import time

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow


class _Window(QMainWindow):
    """Prints the time after its first paint event, and its CPU seconds."""

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            QTimer.singleShot(0, _print_times)
        return super().event(event)


def _print_times() -> None:
    print(f'{{"painted": {time.monotonic()}, "cpu": {time.process_time()}}}', flush=True)
    QApplication.quit()


def main() -> int:
    """Run the measured process."""
    app = QApplication(sys.argv[:1])
    window = _Window()
    window.resize(1280, 800)
    window.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
