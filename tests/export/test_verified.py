"""What is said where an exported model's test error is another one than the run's."""

from types import SimpleNamespace
from typing import cast

import pytest

from studio.export import verified
from studio.export.estimator import Trained
from tests.results import result_of


def test_errors_that_read_the_same_are_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = cast("Trained", SimpleNamespace(alone=False))
    shown = result_of(test_error_ensemble=0.1274112706)
    for found, notes in ((0.1274112689, 0), (0.1294, 1), (None, 0)):
        monkeypatch.setattr(verified, "test_error", lambda _, found=found: found)
        assert len(verified.test_error_note(trained, shown)) == notes
