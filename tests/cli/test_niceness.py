"""An engine of the window has a lower priority; one in the terminal does not."""

from argparse import Namespace
from pathlib import Path

import pytest

from studio.cli import conduct, engine
from studio.errors import StudioError
from studio.system import processes, signals


@pytest.mark.parametrize("command", [engine, conduct])
def test_background_process_lowers_priority_once(
    command: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    niceness_values: list[int] = []
    monkeypatch.setattr(processes, "lower_priority", niceness_values.append)
    monkeypatch.setattr(signals, "ignore_signals", lambda *signals: None)
    monkeypatch.setattr(signals, "handle_signals", lambda *signals: None)
    arguments = Namespace(document=tmp_path / "none.studio", run=1, cluster="", workers=1)
    with pytest.raises(StudioError):
        command.run_command(arguments)  # type: ignore[attr-defined]
    assert niceness_values == [processes.BACKGROUND_NICENESS]
