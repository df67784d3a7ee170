"""Small real runs for the tests of analyses."""

from tests.small_runs import finished_run, new_run, run_inline, small_table  # noqa: F401
