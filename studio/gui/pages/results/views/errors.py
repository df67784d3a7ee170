"""View of the ensemble's errors: the Live page's plot, for the final ensemble."""

from dataclasses import replace

from PySide6.QtWidgets import QSizePolicy

from studio.gui.base import theme
from studio.gui.pages.results.views.decide_model import describe_decision_link
from studio.gui.plots.base.asking import ResultView, Tools
from studio.gui.plots.base.plot import PlotExport
from studio.gui.plots.base.subjects import Subjects
from studio.gui.plots.quality.errors import ErrorsPlot
from studio.gui.session.run_view import RunView
from studio.gui.widgets import kit
from studio.language import tr

_LEAST = 200
"""Height of the drawing, at a scale of 1."""


class Errors(ResultView):
    """Confusion matrix and curves, or predicted against true, and the worst rows."""

    def __init__(self, tools: Tools) -> None:
        super().__init__(tools)
        session = tools.session
        self._subjects = Subjects(session)
        session.document_changed.connect(self._subjects.clear)
        self.plot = ErrorsPlot(tools.asks.helper)
        self.plot.header.tip = ""  # it is the only one
        self.plot.header.set_tooltip_text("")
        # Expand to the available height: the default is 480 pixels at any scale.
        self.plot.canvas.setMinimumHeight(theme.pixels(_LEAST))
        self.plot.canvas.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        export = PlotExport(lambda: session.path.parent if session.path else None, self)
        export.done.connect(self.said)
        export.fill(self.plot.header.menu, self.plot)
        self.decide = kit.button(
            "",
            lambda: self.view_wanted.emit("decide"),
            kind="link",
            name=tr("Decision"),
            tip=tr("From which probability should a row get its label?"),
        )
        self.sentence = self.plot.sentence = kit.label("", "section", wrap=True, selectable=True)
        self.sentence.hide()
        above = kit.column(self.sentence, kit.row(self.decide, None), spacing=theme.GRID // 2)
        kit.column(above, (kit.make_card(self.plot, margin=0), 1), on=self)

    def show_run(self, view: RunView, *, ready: bool) -> None:
        """Show the chosen run at its last iteration, independent of the Live page."""
        self.decide.setText(describe_decision_link(view.row))
        self.decide.setVisible(view.settings.source.task == "binary")
        self.plot.looked_for = view.row.looked_for
        subject = self._subjects.get_current()
        if subject is not None and self.isVisible():
            self.plot.follow(replace(subject, chosen=None, overlaid=()))
