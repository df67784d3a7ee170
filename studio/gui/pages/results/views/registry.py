"""The views of the results page, in the order of their chips."""

from studio.gui.pages.results.views.answer import Answer
from studio.gui.pages.results.views.base import View
from studio.gui.pages.results.views.decide import Decide
from studio.gui.pages.results.views.leaderboard import Leaderboard
from studio.gui.pages.results.views.more_rows import MoreRows
from studio.gui.pages.results.views.one_row import OneRow
from studio.gui.pages.results.views.why import Why

VIEWS: tuple[type[View], ...] = (Answer, Why, OneRow, Decide, Leaderboard, MoreRows)
