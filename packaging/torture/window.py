"""Group 12: the window: random events, fast starts and stops, locales, scales, no display."""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

import psutil

from studio.document.store import Document
from torture.execution import LIMIT, STUDIO, run_inline, run_process
from torture.grid import sound_table
from torture.tables import QUICK
from torture.test_modules import TESTS
from torture.verdict import Try, Verdict

EVENTS = 300
LOCALES = ("de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "C", "POSIX", "fa_IR", "no_such", "")
PAGES = ("welcome", "data", "space", "run", "live", "compare", "results")

Case = Callable[[Path, Path, Random], Iterator[Verdict]]


def window(folder: Path) -> Try:
    """Make a document with a run; return the cases for the window."""
    document, table = folder / "whole.studio", sound_table(Random(1)).write(folder)
    verdict, printed = run_inline("a run", "run", table, "-o", document, *QUICK)
    assert verdict.kind == "unharmed", printed
    return partial(_attempt, document)


def _attempt(document: Path, folder: Path, rng: Random, number: int) -> Iterator[Verdict]:
    yield from CASES[number % len(CASES)](document, folder, rng)


def _random_input(document: Path, folder: Path, rng: Random) -> Iterator[Verdict]:
    arguments = [sys.executable, TESTS / "window" / "monkey.py", "--untimed"]
    seed = str(rng.randrange(10**6))
    given = [*arguments, "--events", str(EVENTS), "--seed", seed]
    verdict, printed = run_process(f"{EVENTS} random events, seed {seed}", given, folder)
    if "--- " in printed:
        verdict = Verdict("fault", verdict.what, printed[printed.index("--- ") :][:1500])
    yield verdict


def _run_rapid_input(document: Path, folder: Path, rng: Random) -> Iterator[Verdict]:
    made, table = folder / "case.studio", sound_table(rng).write(folder)
    script, seed = Path(__file__).with_name("rapid_input_window.py"), str(rng.randrange(10**6))
    what = f"rapid input, seed {seed}"
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    yield run_process(what, [sys.executable, script, made, table, seed], folder, **home)[0]
    if not _ended(made):
        yield Verdict("fault", what, "a run did not hear that it shall stop")
    with Document.open(made, writable=False) as opened:
        runs = [run.id for run in opened.runs.list_all()]
    for run in runs:
        yield run_inline(f"{what}: show run {run}", "show", made, "--run", run)[0]


def _ended(path: Path) -> bool:
    """Stop all engines of a document, and return whether they stopped."""
    until, quiet = time.monotonic() + LIMIT, 0
    while time.monotonic() < until and quiet < 3:
        with Document.open(path) as document:
            alive = [run.id for run in document.runs.list_all() if document.owners.is_alive(run.id)]
            for run in alive:
                document.requests.post(run, "stop", None)
        # An engine that has just started may not have claimed its run yet.
        quiet = 0 if alive or _has_engine(path) else quiet + 1
        time.sleep(1.0)
    return quiet >= 3


def _has_engine(path: Path) -> bool:
    """Return whether a process of a document is running."""
    commands = (each.info["cmdline"] or () for each in psutil.process_iter(["cmdline"]))
    return any(str(path) in arguments for arguments in commands)


def _picture(document: Path, folder: Path, rng: Random) -> Iterator[Verdict]:
    locale, out = rng.choice(LOCALES), folder / "p.png"
    arguments = ["picture", document, "-o", out, "--page", rng.choice(PAGES)]
    for flag, values in (
        ("--language", ("en", "fr", "xx", "tr", "", "\x1b[2J")),
        ("--scale", ("1", "2", "4", "0", "-1", "nan", "1e9")),
        ("--width", ("320", "1440", "0", "-5", "100000", "99999999999")),
        ("--plots", ("", "no-such", "errors", ",,,")),
    ):
        if rng.random() < 0.4:
            arguments += [flag, rng.choice(values)]
    what = f"a picture in {locale!r}, {arguments[4:]}"
    verdict, _ = run_process(what, [STUDIO, *arguments], folder, LC_ALL=locale, LANG=locale)
    yield verdict
    if verdict.kind == "unharmed" and not out.exists():
        yield Verdict("fault", what, "it said nothing and wrote no picture")


def _no_display(document: Path, folder: Path, rng: Random) -> Iterator[Verdict]:
    displays = ({"DISPLAY": ""}, {"DISPLAY": ":987"}, {"DISPLAY": "nowhere:0"},
                {"DISPLAY": "", "WAYLAND_DISPLAY": "wayland-7"})  # fmt: skip
    given = {"QT_QPA_PLATFORM": rng.choice(("", "xcb")), **rng.choice(displays)}
    verdict, printed = run_process(
        f"the window with {given}", [STUDIO, "open", document], folder, **given
    )
    if verdict.kind == "unharmed":
        verdict = Verdict(
            "fault", verdict.what, f"it ended as if there had been a window: {printed}"
        )
    yield verdict


def _no_document(document: Path, folder: Path, rng: Random) -> Iterator[Verdict]:
    path = folder / rng.choice(("none.studio", "a.csv", "a.pkl", "\x1b[2J.studio"))
    if rng.random() < 0.7:
        octets = document.read_bytes()
        at = rng.randrange(len(octets))
        path.write_bytes(rng.choice((b"", octets[:at], rng.randbytes(3000), octets[at:])))
    out = folder / "p.png"
    yield run_process("a picture of no document", [STUDIO, "picture", path, "-o", out], folder)[0]


CASES: tuple[Case, ...] = (
    _no_display,
    _picture,
    _run_rapid_input,
    _random_input,
    _picture,
    _no_document,
)
