"""Small real runs to look at."""

from tests.small_runs import finished_run, new_run, small_table, work_inline  # noqa: F401
