"""A short time of random clicks and keys on the whole window; the long one is a command."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
MONKEY = Path(__file__).with_name("monkey.py")


def test_random_events_do_no_harm() -> None:
    command = [sys.executable, str(MONKEY), "--events", "500", "--seed", "7", "--untimed"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 events" in done.stdout
