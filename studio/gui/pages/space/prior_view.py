"""The prior covariance of the space under a chosen kernel: what a search could learn from what."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.figures.figure import Pointer
from studio.gui.base.language import said, tr
from studio.gui.base.theme import GRID
from studio.gui.pages.space.editor import Editor
from studio.gui.pages.space.prior_model import (
    DRAWS,
    EXPLANATION,
    FILLINGS,
    SOURCE,
    PriorPicture,
    kernels,
    prior_figure,
    prior_picture,
)
from studio.gui.plots.base.asking import Asks, Helper, Query
from studio.gui.plots.painting.scale_bar import ScaleBar
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Choice
from studio.helper.prior_covariance import Prior

if TYPE_CHECKING:
    from studio.gui.plots.base.still import StillFigure


class PriorView(QWidget):
    """Chooser of the kernel, its sentence, the matrix.

    Parameters
    ----------
    editor : Editor
        Whose space is meant.
    helper : Helper
        Who computes.
    """

    def __init__(self, editor: Editor, helper: Helper) -> None:
        super().__init__()
        self._editor = editor
        self.picture: PriorPicture | None = None
        self.drawing: StillFigure | None = None
        self._asker = Asks(helper, "space")("prior_covariance", Prior, self._answer, self._say)
        offered: list[tuple[object, str]] = [(k.key, said(k.title)) for k in kernels()]
        self.kernel = Choice(offered, lambda _: self._ask())
        self.kernel.setAccessibleName(tr("Kernel"))
        self.kernel.setToolTip(tr("Which covariance function compares configurations"))
        self.kernel.show_value(kernels()[0].key)
        fillings: list[tuple[object, str]] = [(key, tr(words)) for key, words in FILLINGS.items()]
        self.filling = Choice(fillings, lambda _: self._ask())
        self.filling.setAccessibleName(tr("Inactive settings are filled"))
        self.filling.setToolTip(
            tr("The value used for inactive settings, which this kernel compares too")
        )
        self.filling.show_value("middle")
        self.filling_row = QWidget()
        about = kit.label(tr("Inactive settings are filled"), "small")
        kit.row(about, (self.filling, 1), on=self.filling_row)
        self.summary = kit.label("", "small", wrap=True)
        self.note = kit.label("", "muted", wrap=True)
        self.scale = ScaleBar()
        self.scale.show_scale(tr("correlation"), "0", "1")
        self.scale.setToolTip(f"{tr(EXPLANATION)}\n{tr(SOURCE)}")
        self._column = kit.column(
            self.kernel,
            self.filling_row,
            self.summary,
            self.scale,
            self.note,
            None,
            on=self,
            spacing=GRID // 2,
        )
        editor.meaning_changed.connect(self._ask)

    @property
    def chosen(self) -> str:
        """The chosen kernel's key."""
        return kernels()[max(0, self.kernel.currentIndex())].key

    def showEvent(self, event: object) -> None:
        """Ask when somebody looks; nothing is computed, nor what draws loaded, before."""
        del event
        if self.drawing is None:
            from studio.gui.plots.base.still import StillFigure

            self.drawing = StillFigure()
            self.drawing.setToolTip(f"{tr(EXPLANATION)}\n{tr(SOURCE)}")
            self.drawing.hide()
            self._column.insertWidget(self._column.indexOf(self.note), self.drawing, 100)
        self._ask()

    def _ask(self) -> None:
        space, meaning = self._editor.space, self._editor.meaning
        facts = next(each for each in kernels() if each.key == self.chosen)
        self.summary.setText(said(facts.summary))
        self.filling_row.setVisible(not facts.keeps_apart)
        if not self.isVisible():
            return
        if space is None or meaning is None or meaning.dimensions is None:
            self._asker.forget()
            self._say(tr("The picture comes back when the space is fixed or has a setting."))
            return
        filling = list(FILLINGS)[max(0, self.filling.currentIndex())]
        arguments = {
            "space": space.to_json(),
            "kernel": self.chosen,
            "n": DRAWS,
            "seed": 0,
            "imputation": filling,
        }
        if self.picture is None:
            self._say(tr("Comparing a hundred random configurations…"))
        self._asker.ask(Query(arguments, kind="prior", moment=(space, self.chosen, filling)))

    def _answer(self, query: Query, prior: Prior) -> None:
        space = self._editor.space
        if space is None or query.moment[0] != space:  # type: ignore[index]
            # Another space is being compared already; its answer comes next.
            return
        picture = prior_picture(prior, space)
        if not picture.size or self.drawing is None:
            self._say(picture.reason)
            return

        def words(at: Pointer) -> str:
            return "  ·  ".join(picture.words_at(int(at.y // 1), int(at.x // 1)))

        self.picture = picture
        self.note.hide()
        self.drawing.show()
        self.drawing.show_figure(prior_figure(picture), tr("Prior covariance"), words)

    def _say(self, why: str) -> None:
        """Say why there is no picture."""
        self.picture = None
        kit.show_text(self.note, said(why))
        if self.drawing is not None:
            self.drawing.hide()
