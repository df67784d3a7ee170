"""Fixtures from the tests of the window and of runs."""

from tests.gui.conftest import helper, no_garbage_collected_within_qt, own_settings, session  # noqa: F401
from tests.gui.plots.conftest import make_subject, plot_helper, space  # noqa: F401
from tests.small_runs import finished_run, new_run, run_inline, small_table  # noqa: F401
