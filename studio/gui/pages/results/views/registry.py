"""Registry of result views, in the order of their chips; views are imported on demand.

Views import drawing libraries, which are loaded when a view is first shown.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from studio.gui.plots.base.helper_requests import ResultView
from studio.gui.session.run_view import RunView
from studio.language import N_


@dataclass(frozen=True)
class Question:
    """A question and its view.

    Attributes:
        key, title, tip: Its name in code, the text of its button, and the full question.
        search_terms: Everyday words by which it can be found.
        view_class_path: Module (of this folder, or by full name) and class of the view.
        applies_to: Returns whether the question is applicable to a run.
    """

    key: str
    title: str
    tip: str
    search_terms: str
    view_class_path: str
    applies_to: Callable[[RunView], bool] = lambda _: True

    @property
    def view(self) -> type[ResultView]:
        """Import the view's class."""
        module, name = self.view_class_path.split(":")
        full_name = module if "." in module else f"{__package__}.{module}"
        view_class: type[ResultView] = getattr(importlib.import_module(full_name), name)
        return view_class


QUESTIONS: tuple[Question, ...] = (
    Question(
        "answer",
        N_("Answer"),
        N_("How good is it, and which models are in it?"),
        N_("result score good quality verdict"),
        "answer:AnswerView",
    ),
    Question(
        "why",
        N_("Why"),
        N_("Which columns matter most, and in which direction?"),
        N_("importance important reasons drivers explain explanation correlation"),
        "studio.questions.columns.view:ColumnsView",
    ),
    Question(
        "who_first",
        N_("Who first?"),
        N_("Which of the new rows come first, and what can be expected of them?"),
        N_(
            "call list top 50 new predictions customers score prioritise priority churn save hits "
            "hit rate expected"
        ),
        "ranked_rows:RankedRowsView",
    ),
    Question(
        "one_row",
        N_("One row"),
        N_("What is predicted for this row, how certain is it, and why?"),
        N_("confidence certainty customer single case shap shapley what-if"),
        "one_row:OneRowView",
    ),
    Question(
        "decide",
        N_("Decide"),
        N_("From which probability should a row get its label?"),
        N_(
            "threshold cutoff cut-off cost costs precision recall lift gain gains profit "
            "probability sensitivity specificity false alarms misses limit"
        ),
        "decide:DecisionView",
        lambda view: view.settings.source.task == "binary",
    ),
    Question(
        "errors",
        N_("Errors"),
        N_("Where is it wrong: which classes, which rows, and how?"),
        N_(
            "confusion matrix mistakes wrong rows residuals predicted actual roc calibration "
            "calibrate calibrated reliability"
        ),
        "errors:ErrorsPage",
    ),
    Question(
        "leaderboard",
        N_("Leaderboard"),
        N_("Which trials were best, which are in the ensemble, and which failed?"),
        N_("ranking list of models best trials compare"),
        "leaderboard:LeaderboardView",
    ),
    Question(
        "more_rows",
        N_("More data?"),
        N_("Would more rows of the same kind lower the error?"),
        N_("learning curve enough more-rows"),
        "learning_curve:LearningCurveView",
    ),
)
