"""The list of shortcuts."""

from collections.abc import Iterable

from studio.gui.base.command import Command
from studio.gui.base.language import tr


def by_group(commands: Iterable[Command]) -> dict[str, list[Command]]:
    """Return the commands that have keys, in their groups."""
    groups: dict[str, list[Command]] = {}
    for command in commands:
        if command.keys_text:
            groups.setdefault(command.group, []).append(command)
    return groups


def as_markdown(commands: Iterable[Command]) -> str:
    """Return the list as Markdown: one table a group."""
    parts = [f"# {tr('Keys')}"]
    for group, members in by_group(commands).items():
        rows = "\n".join(f"| {each.title} | **{_cell(each.keys_text)}** |" for each in members)
        head = f"| {tr('What')} | {tr('Keys')} |\n|---|---|"
        parts.append(f"## {group}\n\n{head}\n{rows}")
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
