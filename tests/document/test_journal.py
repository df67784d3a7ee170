import pytest

from studio.document.journal import RunningJob
from studio.errors import DocumentError
from studio.phrases import phrase


def test_worker_activity_is_replaced(document):
    assert document.journal.list_running(1) == ()
    first = RunningJob(0, {"C": 1.5}, 12.0, "random")
    document.journal.set_running(1, [first, RunningJob(1, {}, 13.0)])
    document.journal.set_running(2, [first])
    document.journal.set_running(1, [first])
    assert document.journal.list_running(1) == (first,)
    document.journal.set_running(1, [])
    assert document.journal.list_running(1) == ()
    assert document.journal.list_running(2) == (first,)


def test_journal_keeps_order_of_messages(document):
    document.journal.add_message(1, "info", "one")
    document.journal.add_message(None, "warning", "zwei \udce9")
    document.journal.add_message(1, "error", "three")
    assert [m.text for m in document.journal.list_messages()] == ["one", "zwei \udce9", "three"]
    assert [(m.text, m.level) for m in document.journal.list_messages(1)] == [
        ("one", "info"),
        ("three", "error"),
    ]
    assert [
        m.text for m in document.journal.list_messages(after=document.journal.list_messages()[1].id)
    ] == ["three"]


def test_message_stores_template_and_values(document, work):
    run = work.start(document)
    message = phrase("{n:,} rows of {what} left out.", n=1200, what=phrase("no column"))
    document.journal.add_message(run, "info", message)
    document.runs.set_state(run, "failed", message)
    for text in (document.journal.list_messages(run)[0].text, document.runs.get(run).message):
        assert text == message
        assert (text.template, text.values["n"]) == (message.template, 1200)
        assert text.values["what"].template == "no column"


def test_unknown_message_level_is_rejected(document):
    with pytest.raises(DocumentError, match="level 'loud'"):
        document.journal.add_message(1, "loud", "x")
