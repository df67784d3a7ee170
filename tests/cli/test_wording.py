"""Messages outside the window name an option or a command beside the window's controls."""

import re
from pathlib import Path

from babel.messages.pofile import read_po

CATALOGUE = Path(__file__).parents[2] / "resources" / "translations" / "fr.po"

WINDOW_ONLY = re.compile(
    r"studio/(gui/|analysis/(surrogate/|what_if)|questions/\w+/(figure|view|effect_figure))"
)
CONTROLS = re.compile(r"\b([Pp]ress|[Cc]lick|chip|button|[Tt]ick)\b|on the [A-Z]\w+ page")
OPTIONS = re.compile(r"--\w|\bstudio \w")


def test_messages_outside_window_name_options() -> None:
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file)
    texts = [
        text
        for message in catalogue
        if message.id and not all(WINDOW_ONLY.match(path) for path, _ in message.locations)
        for text in ((message.id,) if isinstance(message.id, str) else message.id)
    ]
    assert any(CONTROLS.search(each) for each in texts), "the role of a column has both"
    assert [each for each in texts if CONTROLS.search(each) and not OPTIONS.search(each)] == []
