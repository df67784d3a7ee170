"""A command for every setting: it opens its page with the field focused and marked."""

from collections.abc import Iterator
from functools import partial

from studio.gui.base.command import Command
from studio.gui.base.language import said, tr
from studio.gui.base.preferences import Preferences
from studio.gui.shell.window_services import WindowServices
from studio.runs.choices import DeclaredSettings
from studio.setting import settings_of


def setting_commands(doing: WindowServices) -> Iterator[Command]:
    """Yield a command for each setting of the next run, of the data page and of the program."""
    # The pages' own lists: a page is imported at its first time, here when the palette opens.
    from studio.gui.pages.data.reading_card import OPTIONS
    from studio.gui.pages.data.target_card import TARGET, TASK
    from studio.gui.pages.run.settings import SPLIT

    frame = doing.frame
    is_open, has_table = (
        partial(getattr, frame.session, "is_open"),
        partial(getattr, frame.data, "has_file"),
    )
    task = frame.data.draft.resolved_task
    run = [
        (each.name, each.title, each.also)
        for each in settings_of(DeclaredSettings)
        if each.title and (task is None or each.counts_for(task))
    ]
    data = [(key, title, also) for key, title, *_, also in OPTIONS]
    for page, group, enabled, listed in (
        ("run", tr("Setting of the next run"), is_open, [*run, ("split", *SPLIT)]),
        ("data", tr("Setting of the table"), has_table, [
            ("target", *TARGET), ("task", *TASK), *data,
        ]),
    ):  # fmt: skip
        for name, title, also in listed:
            yield Command(
                f"setting.{page}.{name}", group, said(title),
                partial(doing.acts.show_setting, page, name), "", enabled, also=said(also),
            )  # fmt: skip
    for each in settings_of(Preferences):
        yield Command(
            f"setting.program.{each.name}", tr("Setting of the program"), tr(each.title),
            partial(doing.acts.show_settings, each.name), also=tr(each.also),
        )  # fmt: skip
