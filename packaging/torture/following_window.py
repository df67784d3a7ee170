"""A process with a window that follows a run until its end.

Called with a document and the number of a run, which need not exist yet. Prints the number of
trials seen, and the state.
"""

import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSettings, QTimer

from studio.gui.app import make_app
from studio.gui.shell.window import MainWindow


def main() -> int:
    """Open the window and wait."""
    document, run = Path(sys.argv[1]), int(sys.argv[2])
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, tempfile.mkdtemp(dir=document.parent)
    )
    app = make_app()
    window = MainWindow()
    window.show()
    window.session.open(document)

    def look() -> None:
        if run not in window.session.runs.ids:
            return
        window.session.run_selection.choose_run(run)
        view = window.session.runs.get_view(run)
        if view.state == "finished" and view.trials:
            print(len(view.trials), view.state, flush=True)
            window.close()

    timer = QTimer(interval=100)
    timer.timeout.connect(look)
    timer.start()
    app.exec()
    window.session.close()
    window.helper.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
