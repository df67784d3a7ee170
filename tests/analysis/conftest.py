"""Small real runs for the tests of analyses."""

from tests.small_runs import finished_run, new_run, small_table, work_inline  # noqa: F401
