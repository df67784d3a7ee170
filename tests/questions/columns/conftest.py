"""Fixtures from the tests of the window and of runs."""

from tests.gui.conftest import helper, no_garbage_collected_within_qt, own_settings, session  # noqa: F401
from tests.gui.plots.conftest import plot_helper, space, subject_of  # noqa: F401
from tests.small_runs import finished_run, new_run, small_table, work_inline  # noqa: F401
