"""The fresh process that checks a written file."""

import pytest

from studio.errors import ExportError
from studio.export.verified import run_fresh_process


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise ValueError('no such column')", "ValueError: no such column"),
        ("import os; os.kill(os.getpid(), 9)", "ran out of memory"),
        ("import os; os.kill(os.getpid(), 11)", "segmentation fault, signal 11"),
        ("import os; os._exit(3)", "exit code 3"),
    ],
)
def test_failed_verification_reports_reason(tmp_path, code, reason):
    with pytest.raises(ExportError) as error_info:
        run_fresh_process(code, (), tmp_path)
    assert reason in str(error_info.value)
