import threading
import time

import pytest

from studio.errors import RunError
from studio.runs.pool import WorkerWatch
from tests.facts import about


@pytest.mark.slow
def test_failed_watch_reports_cause():
    def workers():
        raise OSError("too many open files")

    watch = WorkerWatch(threading.Condition(), workers, lambda worker, reason: None)
    watch.check()
    watch.start()
    with pytest.raises(
        RunError, match="continue the run", check=about(problem="too many open files")
    ):
        for _ in range(1000):
            watch.check()
            time.sleep(0.01)
    watch.stop()


def test_unstarted_watch_can_be_stopped():
    assert WorkerWatch(threading.Condition(), list, lambda worker, reason: None).stop() == []
