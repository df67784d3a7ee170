"""Exporting a plot: where to, and what went wrong in plain words."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from studio.errors import ExportError
from studio.gui.base import saving
from studio.gui.plots.base.plot import Plot
from studio.language import tr, translate


class PlotExport(QObject):
    """Fills a plot's menu with what can be taken away, and does it.

    Args:
        folder: Where the dialog begins, or None.
        page: Over which a failure is reported.
    """

    failed = Signal(str)
    """What could not be done, why, and what to do."""

    done = Signal(str)
    """What was done, in a few words."""

    def __init__(self, folder: Callable[[], Path | None], page: QWidget) -> None:
        super().__init__(page)
        self._folder, self._page = folder, page
        self.failed.connect(self._complain)

    def fill(self, menu: QMenu, plot: Plot) -> None:
        """Add the actions; they are grey while the plot has nothing to show."""
        actions = [
            menu.addAction(tr("Save image (PNG)…"), partial(self.save, plot, "png")),
            menu.addAction(tr("Save vector image (SVG)…"), partial(self.save, plot, "svg")),
            menu.addAction(tr("Save data (CSV)…"), partial(self.save, plot, "csv")),
            menu.addAction(tr("Copy image"), partial(self.copy, plot)),
        ]

        def look() -> None:
            for action in actions:
                action.setEnabled(plot.empty_text == "")

        menu.aboutToShow.connect(look)

    def save(self, plot: Plot, kind: str) -> None:
        """Ask where to, and write the plot as "png", "svg" or "csv"."""
        title, kinds, write = {
            "png": (tr("Save image"), tr("PNG image (*.png)"), plot.save_picture),
            "svg": (tr("Save vector image"), tr("SVG image (*.svg)"), plot.save_vectors),
            "csv": (tr("Save data"), tr("CSV table (*.csv)"), plot.save_numbers),
        }[kind]
        folder = self._folder()
        name = f"{plot.key}.{kind}"
        start = folder / name if folder else name
        chosen = saving.choose_file(plot, title, start, kinds)
        if chosen is None:
            return
        path = chosen.path
        try:
            write(path)
        except ExportError as error:
            self.failed.emit(translate(str(error)))
        else:
            self.done.emit(tr("Saved {name}.", name=path.name))

    def copy(self, plot: Plot) -> None:
        """Put the plot's picture on the clipboard."""
        plot.copy_picture()
        self.done.emit(tr("The image was copied to the clipboard."))

    def _complain(self, text: str) -> None:
        QMessageBox.warning(self._page, "Ensemble Studio", text)
