"""The first card of the Run page: advice for the next run, its duration, and Start."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from studio.gui.base.theme import GRID
from studio.gui.base.tooltips import make_plain_tip
from studio.gui.drafts.advice_model import AdviceModel
from studio.gui.drafts.data_model import DataModel
from studio.gui.drafts.decisions import group_findings
from studio.gui.drafts.starter import Starter
from studio.gui.widgets import kit
from studio.gui.widgets.flow import FlowLayout
from studio.language import N_, ntr, tr, translate

_TIME_WIDTH = 22 * GRID
_START_TIP = N_("Start a run with the settings of the Data, Space and Run pages")


def describe_open_decisions(data: DataModel) -> str:
    """State how many findings about the table await a decision; empty for none."""
    count = len(group_findings(data.draft).open_findings)
    if not count:
        return ""
    return ntr(
        "{count} decision is open on the Data page.",
        "{count} decisions are open on the Data page.",
        count,
    )


class AdviceLine(QFrame):
    """Shows the advice; blank, in the same place, if there is none.

    Each advised choice has a button to change it; once one differs, a button restores the advice.
    (The method is changed by the cards below.)
    """

    space_page_requested = Signal()
    """Choosing another space was requested."""

    split_requested = Signal()
    """The fields of a custom split, now chosen, were requested."""

    def __init__(self, model: AdviceModel) -> None:
        super().__init__()
        self._model = model
        self.sentence_label = kit.label(kit.NON_BREAKING_SPACE, wrap=True, selectable=True)
        self.sentence_label.setAccessibleName(tr("Suggested for this table"))
        self.use_advice_button = kit.button(
            tr("Back to the suggestion"),
            model.apply_advice,
            tip=tr("Use the suggested method, space, split and refit again"),
        )
        tip = tr("Choose or edit the models and settings to search, on the Space page")
        self.space_button = kit.button(
            tr("Another space…"), self.space_page_requested.emit, kind="link", tip=tip
        )
        tip = tr("Choose the split yourself, starting from this one")
        self.divide_button = kit.button(
            tr("Custom split…"), self._customise_split, kind="link", tip=tip
        )
        tip = tr(
            "Refit the final models on all rows except the test rows, even where that helps little"
        )
        self.train_button = kit.button(
            tr("Always refit the members at the end"), model.enable_refit, kind="link", tip=tip
        )
        top = kit.row((self.sentence_label, 1), self.use_advice_button, spacing=2 * GRID)
        self.links = QWidget()
        self.links.setLayout(
            FlowLayout(
                self.space_button, self.divide_button, self.train_button, gap=2 * GRID, line_gap=0
            )
        )
        self.setLayout(top)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        model.changed.connect(self.show_advice)
        self.show_advice()

    def show_advice(self) -> None:
        """Show the advice for the current table, and whether it is already followed."""
        advice, differences = self._model.advice, self._model.get_differences()
        self.setVisible(advice is not None)
        if advice is None:
            return
        # The reason for the split is shown beside the split.
        table = translate(advice.table)
        text = tr(
            "For {table}, the program first tries proven models, then searches for better ones.",
            table=table,
        )
        if differences:
            text = tr("Differs from the suggestion: {list}.", list=", ".join(differences))
        self.sentence_label.setText(text)
        self.sentence_label.setToolTip(make_plain_tip("\n".join(differences.values())))
        self.use_advice_button.setVisible(bool(differences))
        self.divide_button.setVisible(tr("split") not in differences)
        self.train_button.setVisible(not self._model.always_refits)

    def _customise_split(self) -> None:
        self._model.customise_split()
        self.split_requested.emit()


class StartCard(QFrame):
    """Describes the next run, and starts it.

    Args:
        advice: The line that describes the next run.
        time: The field of the time limit.
        notes: Sentences about the duration.
    """

    data_page_requested = Signal()
    """The Data page was requested, for its open decisions."""

    space_page_requested = Signal()
    """The Space page was requested, for the problem that prevents a run."""

    def __init__(
        self, starter: Starter, data: DataModel, *, advice: QWidget, time: QWidget, notes: QWidget
    ) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._starter, self._data = starter, data
        self.start_button = kit.button(
            tr("Start the run"), starter.start, kind="primary", icon="play", tip=tr(_START_TIP)
        )
        time.setMaximumWidth(_TIME_WIDTH)
        self.constraint_label = kit.label("", "muted", wrap=True)
        self.decisions_label = kit.label("", "warning")
        tip = tr("Open the Data page, where the questions about the table are")
        self.data_button = kit.button(
            tr("Decide there"), self.data_page_requested.emit, kind="link", tip=tip
        )
        self.problem_label = kit.label("", "problem", wrap=True)
        tip = tr("Open the Space page, where the problem is marked")
        self.space_button = kit.button(
            tr("Show it in the space"), self.space_page_requested.emit, kind="link", tip=tip
        )
        kit.column(
            kit.label(tr("Next run"), "title"),
            advice,
            self.constraint_label,
            kit.row((time, 0), None, spacing=2 * GRID),
            kit.row(self.decisions_label, self.data_button, None, spacing=2 * GRID),
            kit.row(self.start_button, (notes, 1), spacing=2 * GRID),
            kit.row((self.problem_label, 1), self.space_button, spacing=2 * GRID),
            parent=self,
            spacing=GRID + GRID // 2,
            margin=2 * GRID,
        )
        starter.readiness_changed.connect(self._show)
        data.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        starter = self._starter
        problem = starter.get_blocking_problem()
        kit.enable_unless(self.start_button, problem, tr(_START_TIP))
        kit.show_text(self.problem_label, "" if starter.is_busy else problem)
        self.space_button.setVisible(bool(problem) and problem == starter.find_space_problem())
        text = describe_open_decisions(self._data)
        kit.show_text(self.decisions_label, text)
        self.data_button.setVisible(bool(text))
