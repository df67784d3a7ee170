"""Names from outside in what Qt reads as a language of its own, shown as they are."""

import re
from html import escape


def plain_tip(text: str) -> str:
    """Return a tooltip that shows text verbatim.

    Qt takes a tooltip that looks like HTML for HTML, and loads the pictures that it names.
    """
    return _as_markup(text) if "<" in text else text


def tip_below(text: str, tip: str) -> str:
    """Return a tooltip of a text, verbatim, above another tooltip, which is plain already."""
    if "<" not in text and "<" not in tip:
        return f"{text}\n{tip}".strip()
    return f"{_as_markup(text)}<br>{tip if '<' in tip else _as_markup(tip)}"


def _as_markup(text: str) -> str:
    return f"<span>{escape(text)}</span>".replace("\n", "<br>")


class MnemonicText(str):
    """The program's own text of a button, in which ``&`` marks a key."""

    __slots__ = ()


def escape_mnemonics(name: str) -> str:
    """Return a name for a menu, a tab or a check box, in which Qt takes ``&`` for a key."""
    return name.replace("&", "&&")


def strip_mnemonics(text: str) -> str:
    """Return a button's text as it is seen: without the marks of keys."""
    return re.sub("&(.)", r"\1", text)


def window_title(name: str) -> str:
    """Return a name for a window's title, in which Qt takes ``[*]`` for the sign of changes."""
    return name.replace("[*]", "[*][*]")
