"""Internal errors of the program during a run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studio.document.store import Document
from studio.proposers.model_free import RandomSearch
from studio.runs.engine import Engine
from tests.facts import facts

pytestmark = pytest.mark.slow

Make = Callable[..., tuple[Path, int]]


def test_internal_error_is_stored_and_run_continues_later(
    new_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, run_id = new_run(method="RS", budget=3)

    text = "nobody thought of this"

    def broken(self: object, search: object) -> None:
        raise ZeroDivisionError(text)

    with Document.open(path) as document:
        with monkeypatch.context() as patch:
            patch.setattr(RandomSearch, "suggest", broken)
            with pytest.raises(ZeroDivisionError):
                Engine(document, run_id, lambda progress: None).execute_run()
        row = document.runs.get(run_id)
        assert row.state == "failed"
        message_facts = facts(row.message)
        assert (message_facts["fault"], message_facts["error"]) == ("ZeroDivisionError", text)
        assert not row.is_owner_alive
        assert Engine(document, run_id, lambda progress: None).execute_run() == "finished"
