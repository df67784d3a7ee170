"""What help says about where the user is: the page, the plot and the control with the focus."""

from PySide6.QtWidgets import QWidget

from studio.gui.shell.help.guide import chapters, title
from studio.gui.shell.help.topics import TOPICS
from studio.language import tr, translate

_SIGNS = frozenset("\\`*_{}[]()#+-.!|<>&~")


def as_markdown(page: str, focused: QWidget | None) -> str:
    """Return help for a page and, first, for the focused control or the plot that it is in."""
    parts = [*_control(focused), *_plot(focused), *_page(page)]
    return "\n\n".join(part for part in parts if part)


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows it letter by letter."""
    return "".join(f"\\{each}" if each in _SIGNS else each for each in text)


def _control(focused: QWidget | None) -> list[str]:
    each = focused
    while each is not None and not each.isWindow():
        if each.accessibleName() and each.toolTip():
            return [f"## {escaped(each.accessibleName())}", escaped(each.toolTip())]
        each = each.parentWidget()
    return []


def plot_around(inside: QWidget | None) -> QWidget | None:
    """Return the plot of the Live page that a widget belongs to, or is."""
    each = inside
    while each is not None and not each.objectName().startswith("plot-"):
        each = each.parentWidget()
    return each


def _plot(focused: QWidget | None) -> list[str]:
    plot = plot_around(focused)
    if plot is None:
        return []
    title, summary, explanation, source = (
        escaped(translate(str(getattr(plot, name, ""))))
        for name in ("title", "summary", "explanation", "source")
    )
    cited = f"*{tr('After {source}', source=source)}*" if source else ""
    return [f"## {title}", summary, explanation, cited]


def _page(key: str) -> list[str]:
    topic = TOPICS.get(key)
    if topic is None:
        return []
    steps = "\n".join(
        f"{number}. {escaped(tr(step))}" for number, step in enumerate(topic.steps, start=1)
    )
    parts = [
        f"# {escaped(tr(topic.title))}",
        escaped(tr(topic.what)),
        f"## {escaped(tr('What to do'))}",
        steps,
    ]
    chapter = escaped(title(chapters()[topic.chapter]))
    return [*parts, f"[{tr('Read more in the guide')}: {chapter}](guide:{topic.chapter})"]
