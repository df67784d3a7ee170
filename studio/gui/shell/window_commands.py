"""List of all commands of the window. A new command is one line in this module.

Pages add their commands by a method ``list_commands()``
(:class:`studio.gui.base.command.HasCommands`).
"""

from collections.abc import Iterator
from functools import partial

from PySide6.QtGui import QKeySequence

from studio.data.samples import list_recordings, list_samples
from studio.export.formats.registry import REGISTRY
from studio.gui.base import user_paths
from studio.gui.base.command import Command
from studio.gui.base.preferences import Preferences, get_appearance
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.shell.frame.page_list import PAGES, SEARCH_WORDS, WELCOME
from studio.gui.shell.help import guide
from studio.gui.shell.help.glossary import list_terms
from studio.gui.shell.window_services import WindowServices
from studio.language import tr, translate
from studio.runs.choices import DeclaredSettings
from studio.setting import iter_settings


def make_setting_commands(services: WindowServices) -> Iterator[Command]:
    """Yield a command for each setting of the next run, of the data page and of the program."""
    # The pages' own lists are imported when the palette opens, as pages are on first use.
    from studio.gui.pages.data.reading_card import OPTIONS
    from studio.gui.pages.data.target_card import TARGET_FIELD, TASK_FIELD
    from studio.gui.pages.run.settings import SPLIT_FIELD

    frame = services.frame
    is_open = partial(getattr, frame.session, "is_open")
    has_table = partial(getattr, frame.data, "has_file")
    task = frame.data.draft.resolved_task
    run = [
        (each.name, each.title, each.search_terms)
        for each in iter_settings(DeclaredSettings)
        if each.title and (task is None or each.applies_to(task))
    ]
    data = [(key, title, search_words) for key, title, *_, search_words in OPTIONS]
    for page, group, enabled, settings in (
        ("run", tr("Setting of the next run"), is_open, [*run, ("split", *SPLIT_FIELD)]),
        ("data", tr("Setting of the table"), has_table, [
            ("target", *TARGET_FIELD), ("task", *TASK_FIELD), *data,
        ]),
    ):  # fmt: skip
        for name, title, search_words in settings:
            yield Command(
                f"setting.{page}.{name}", group, translate(title),
                partial(services.actions.show_setting, page, name), "", enabled,
                search_terms=translate(search_words),
            )  # fmt: skip
    for each in iter_settings(Preferences):
        yield Command(
            f"setting.program.{each.name}", tr("Setting of the program"), tr(each.title),
            partial(services.actions.show_settings, each.name), search_terms=tr(each.search_terms),
        )  # fmt: skip


def make_window_commands(services: WindowServices) -> list[Command]:
    """Return the commands that are independent of the document."""
    return [
        *_make_document_commands(services),
        *_make_edit_commands(services),
        *_make_run_commands(services),
        *_make_page_commands(services),
        *_make_view_commands(services),
    ]


def make_contextual_commands(services: WindowServices) -> list[Command]:
    """Return commands for the current objects: runs, plots, methods, documents."""
    return [
        *_make_commands_per_run(services),
        *_make_answer_commands(services),
        *_make_result_commands(services),
        *_make_export_commands(services),
        *_make_plot_commands(services),
        *make_setting_commands(services),
        *_make_method_commands(services),
        *_make_recent_commands(services),
        *_make_column_commands(services),
        *_make_help_commands(services),
    ]


def _make_document_commands(services: WindowServices) -> Iterator[Command]:
    standard, do, group = QKeySequence.StandardKey, services.documents, tr("Document")
    is_open = partial(getattr, services.frame.session, "is_open")
    yield Command(
        "document.new", group, tr("New document"), do.create, standard.New,
        search_terms=tr("project begin empty"),
    )  # fmt: skip
    yield Command(
        "document.table", group, tr("Open a table…"), do.choose_table, "Ctrl+T",
        search_terms=tr(
            "excel csv load file import upload parquet xlsx data set dataset spreadsheet"
        ),
    )  # fmt: skip
    yield Command(
        "document.open", group, tr("Open a document…"), do.choose_document, standard.Open,
        search_terms=tr("project recent file load"),
    )  # fmt: skip
    for sample in list_samples():
        title = translate(sample.title)
        yield Command(
            f"document.sample.{sample.key}", group, tr("Open the sample {title}", title=title),
            partial(services.document_opener.open_sample, sample), tip=translate(sample.summary),
            search_terms=tr("samples example demo try data"),
        )  # fmt: skip
    yield Command(
        "document.compare", group, tr("Compare methods…"), do.compare, icon="compare",
        tip=tr("Several methods on several tables, with significance tests of the differences"),
    )  # fmt: skip
    yield Command(
        "document.save", group, tr("Save"), do.save, standard.Save, is_open,
        tip=tr("Show where the document is saved; saving is automatic"),
    )  # fmt: skip
    yield Command(
        "document.save-as", group, tr("Save as…"), do.save_as, "Ctrl+Shift+S", is_open,
        tip=tr("Choose a place for the document; it is saved there automatically from then on"),
        search_terms=tr("copy rename move keep store"),
    )  # fmt: skip
    yield Command(
        "document.folder", group, tr("Show its folder"), do.show_folder, "", is_open,
        search_terms=tr("where file explorer finder path"),
    )  # fmt: skip
    yield Command(
        "document.close", group, tr("Close the document"), do.close, standard.Close, is_open,
        tip=tr("Runs can continue without it"), search_terms=tr("leave"),
    )  # fmt: skip
    yield Command(
        "document.quit", group, tr("Quit"), services.frame.close, "Ctrl+Q",
        search_terms=tr("exit leave close the program"),
    )  # fmt: skip


def _make_edit_commands(services: WindowServices) -> Iterator[Command]:
    standard, group = QKeySequence.StandardKey, tr("Edit")
    history = services.actions.get_history  # of the current page when called
    undo, redo = services.actions.undo_text, history().redo_text
    yield Command(
        "edit.undo", group, tr("Undo: {what}", what=undo) if undo else tr("Undo"),
        services.actions.undo, standard.Undo, lambda: bool(services.actions.undo_text), "undo",
        tip="" if undo else tr("Nothing to undo"), is_always_listed=True,
    )  # fmt: skip
    yield Command(
        "edit.redo", group, tr("Redo: {what}", what=redo) if redo else tr("Redo"),
        lambda: history().redo(), "Ctrl+Shift+Z; Ctrl+Y", lambda: bool(history().redo_text), "redo",
        tip="" if redo else tr("Nothing to redo"), is_always_listed=True,
    )  # fmt: skip


def _make_run_commands(services: WindowServices) -> Iterator[Command]:
    bar, selection, group = services.frame.top_bar, services.frame.session.run_selection, tr("Run")
    pause = bar.pause_button
    yield Command(
        "run.start", group, tr("Start a run"), bar.request_start, "Ctrl+Return",
        bar.can_start, "play",
        tip=tr("With the settings of the Data, Space and Run pages"),
        search_terms=tr("train fit go play begin automl"),
    )  # fmt: skip
    yield Command(
        "run.pause", group, tr("Pause or continue the run"), pause.click, "Ctrl+.",
        pause.isEnabled, "pause", search_terms=tr("wait hold resume"),
    )  # fmt: skip
    yield Command(
        "run.stop", group, tr("Stop the run and keep its results"), bar.stop_button.click,
        "Ctrl+Shift+.", bar.stop_button.isEnabled, "stop",
        search_terms=tr("cancel abort end kill"),
    )  # fmt: skip
    yield Command(
        "run.live", group, tr("Follow the run live"), partial(selection.choose_iteration, None),
        "Ctrl+L", lambda: selection.run is not None,
        search_terms=tr("slider iteration now"),
    )  # fmt: skip
    yield Command(
        "run.replay", group, tr("Play the runs again"), services.player.play, "Ctrl+Shift+R",
        lambda: bool(services.frame.session.runs.views) and not services.frame.session.runs.active,
        tip=tr("As a recording, for an audience: nothing is computed"),
        search_terms=tr("replay recording animation video"),
    )  # fmt: skip
    yield Command(
        "run.back", group, tr("Previous iteration"), partial(selection.step, -1), "Ctrl+Left",
        services.frame.bottom.isVisible,
    )  # fmt: skip
    yield Command(
        "run.forth", group, tr("Next iteration"), partial(selection.step, 1), "Ctrl+Right",
        services.frame.bottom.isVisible,
    )  # fmt: skip


def _make_page_commands(services: WindowServices) -> Iterator[Command]:
    for number, (key, title, tip) in enumerate(PAGES, start=1):
        yield Command(
            f"page.{key}",
            tr("Go to"),
            tr(title),
            partial(services.frame.show_page, key),
            f"Ctrl+{number}",
            partial(getattr, services.frame.session, "is_open"),
            key,
            tr(tip),
            f"{tr(SEARCH_WORDS[key])} {tr('page')}",
        )
    yield Command(
        "view.welcome", tr("Go to"), tr("Welcome"), partial(services.frame.show_page, WELCOME),
        tip=tr("Samples, recordings and recent documents"), search_terms=tr("home start page"),
    )  # fmt: skip


def _make_view_commands(services: WindowServices) -> Iterator[Command]:
    view, help_group = tr("View"), tr("Help")
    yield Command(
        "view.palette",
        view,
        tr("Find a command…"),
        services.frame.palette_box.open,
        "Ctrl+K; Ctrl+Shift+P",
        icon="search",
    )
    yield Command(
        "view.theme", view, tr("Light or dark"), get_appearance().toggle,
        search_terms=tr("theme dark colours mode night"),
    )  # fmt: skip
    yield Command(
        "view.story", view, tr("Story of the run"), services.actions.show_slides, "F5",
        tip=tr("A few slides for an audience; arrow keys to navigate, Esc to exit"),
        search_terms=tr("slides show present presentation projector stage audience"),
    )  # fmt: skip
    yield Command(
        "view.present", view, tr("Presentation mode"), services.actions.toggle_presenting,
        "Shift+F5", tip=tr("Large type for a projector; press Esc to leave it"),
        search_terms=tr("projector presenting stage zoom"),
    )  # fmt: skip
    yield Command(
        "view.full", view, tr("Full screen"), services.actions.toggle_full_screen, "F11",
        search_terms=tr("maximise fullscreen large"),
    )  # fmt: skip
    yield Command(
        "view.settings", view, tr("Settings…"), services.actions.show_settings, "Ctrl+,",
        icon="settings",
        search_terms=tr("preferences options language folder"),
    )  # fmt: skip
    text = tr("Help for this page")
    yield Command("help.here", help_group, text, services.actions.show_help, "F1", icon="info")
    yield Command(
        "help.keys", help_group, tr("Keys"), services.frame.help.show_shortcuts, "Shift+F1",
        search_terms=tr("shortcuts keyboard"),
    )  # fmt: skip
    yield Command(
        "help.tour", help_group, tr("Show me around"), services.tour.start,
        tip=tr("A first run on a sample, step by step"),
        search_terms=tr("tour tutorial example demo start getting started introduction"),
    )  # fmt: skip
    for recording in list_recordings():
        yield Command(
            f"help.recording.{recording.key}",
            help_group,
            tr("Watch a recording: {title}", title=translate(recording.title)),
            partial(services.player.play_recording, recording),
            tip=translate(recording.summary),
            search_terms=tr("demo video film animation"),
        )
    yield Command(
        "help.guide", help_group, tr("The guide"), services.actions.show_guide,
        search_terms=tr("manual documentation handbook how to"),
    )  # fmt: skip
    yield Command(
        "help.words", help_group, tr("Glossary"), services.frame.help.show_glossary,
        tip=tr("Glossary of the program's terms"),
        search_terms=tr("glossary terms definitions vocabulary meaning explain"),
    )  # fmt: skip
    yield Command(
        "help.about", help_group, tr("About Ensemble Studio"), services.actions.show_about,
        tip=tr("Version, libraries, licences and file locations"),
        search_terms=tr("version licence license library report bug log folder path"),
    )  # fmt: skip


def _make_commands_per_run(services: WindowServices) -> Iterator[Command]:
    for view in services.frame.session.runs.views:
        name = view.name
        yield Command(
            f"look.{view.row.id}",
            tr("Runs"),
            f"{name} · {view.row.id}",
            partial(services.actions.show_run, view.row.id),
            search_terms=tr("watch show run"),
        )


def _make_export_commands(services: WindowServices) -> Iterator[Command]:
    view = services.frame.session.run_selection.run
    if view is None or not view.trials:
        return
    for row in REGISTRY:
        # For unavailable formats, the page lists the missing packages.
        page = partial(services.frame.show_page, "results")
        yield Command(
            f"export.{row.key}",
            tr("Export"),
            tr("Export as {format}", format=translate(row.title)),
            page if row.missing_dependency else partial(services.actions.export, row.key),
            tip=translate(row.missing_dependency or row.summary),
            search_terms=f"{translate(row.search_terms)} {tr('export save file download')}",
        )


def _make_answer_commands(services: WindowServices) -> Iterator[Command]:
    view = services.frame.session.run_selection.run
    if view is None or not view.trials:
        return
    for question in QUESTIONS:
        if question.applies_to(view):
            yield Command(
                f"answer.{question.key}",
                tr("Results"),
                tr(question.title),
                partial(services.actions.show_answer, question.key),
                tip=tr(question.tip),
                search_terms=tr(question.search_terms),
            )


def _make_result_commands(services: WindowServices) -> Iterator[Command]:
    """Yield a command for each card of the Results page, which focuses its button."""
    from studio.gui.pages.results.cards.refit_card import is_refit_due  # with its page

    view = services.frame.session.run_selection.run
    if view is None or not view.trials:
        return
    cards = [
        (
            "save", tr("Save predictions"),
            tr("The rows predicted under “Who first?”, or a table to predict first"),
            tr("predicted excel rows table csv download write store xlsx"),
        ),
        (
            "predict", tr("Predict new rows"),
            tr("A table with the same columns as the one the run was trained on"),
            tr("score apply model new data forecast save predictions"),
        ),
    ]  # fmt: skip
    if view.has_ended:
        tip = tr("The run continues where it stopped and keeps all results")
        search_terms = tr("more trials longer extend resume")
        cards.append(("continue", tr("Keep searching"), tip, search_terms))
    if view.has_ended and is_refit_due(view):
        cards.append(("refit", tr("Refit the members"), "", tr("retrain train all rows final")))
    for key, title, tip, search_terms in cards:
        yield Command(
            f"results.{key}", tr("Results"), title,
            partial(services.actions.show_setting, "results", key), tip=tip,
            search_terms=search_terms,
        )  # fmt: skip


def _make_column_commands(services: WindowServices) -> Iterator[Command]:
    preview = services.frame.data.draft.preview
    group = tr("Column of the table")
    for number, column in enumerate(preview.columns if preview is not None else (), start=1):
        # The key is recorded for crash reports, so it must not contain the column's name.
        yield Command(
            f"column.{number}", group, column.name,
            partial(services.actions.show_column, column.name),
        )  # fmt: skip


def _make_help_commands(services: WindowServices) -> Iterator[Command]:
    for number, (word, meaning) in enumerate(list_terms(), start=1):
        yield Command(
            f"help.word.{number}", tr("Glossary"), word,
            partial(services.frame.help.show_glossary, word), tip=meaning, is_help=True,
        )  # fmt: skip
    for number, (chapter, heading) in enumerate(guide.list_headings(), start=1):
        yield Command(
            f"help.guide.{number}", tr("Guide"), guide.strip_number(heading),
            partial(services.actions.show_guide, chapter, heading), is_help=True,
        )  # fmt: skip


def _make_plot_commands(services: WindowServices) -> Iterator[Command]:
    if not services.frame.session.runs.views:
        return
    # Drawing libraries are imported with the first figure.
    from studio.gui.pages.live.registry import REGISTRY

    for plot in REGISTRY:
        yield Command(
            f"plot.{plot.key}",
            tr("Live plots"),
            tr(plot.title),
            partial(services.actions.show_plot, plot.key),
            tip=tr(plot.summary),
            search_terms=f"{tr(plot.search_terms)} {tr('plot figure picture chart')}",
        )


def _make_method_commands(services: WindowServices) -> Iterator[Command]:
    if not services.frame.session.is_open:
        return
    task = services.frame.data.draft.resolved_task
    for method in services.frame.run.presets:
        if task is None or task not in method.rejections:
            yield Command(
                f"method.{method.key}",
                tr("Method of the next run"),
                method.key,
                partial(services.actions.choose_method, method.key),
            )


def _make_recent_commands(services: WindowServices) -> Iterator[Command]:
    for number, path in enumerate(user_paths.get_recent(), start=1):
        # The key is recorded for crash reports, so it must not contain the file's name.
        yield Command(
            f"recent.{number}",
            tr("Recent documents"),
            path.stem,
            partial(services.document_opener.open_path, path),
            tip=str(path),
        )
