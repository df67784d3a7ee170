"""Make the gallery: every page and every plot as pictures of the program's own window.

python packaging/gallery.py                    the pictures of docs/gallery
python packaging/gallery.py --only live plot   those with these prefixes
python packaging/gallery.py --all -o FOLDER    every page in every look, for a separate folder

The runs are real, on the three shipped samples, with fixed seeds; ``--runs FOLDER`` keeps them for
the next time. The user's settings are neither read nor changed.
"""

import argparse
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from small_png import shrink
from studio.cli.picture import PAGES
from studio.gui.pages.live.registry import REGISTRY
from studio.gui.pages.results.views.registry import QUESTIONS
from studio.gui.screenshot import ScreenshotOptions, capture
from studio.language import ENGLISH, PSEUDO, list_languages

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "gallery"
TITLES = {
    "digits": "Handwritten digits",
    "breast_cancer": "Breast cancer",
    "diabetes": "Diabetes progression",
}
RUNS = (
    ("digits", "digit", "BO-best"),
    ("digits", "digit", "EO-sig"),
    ("breast_cancer", "diagnosis", "DivBO"),
    ("diabetes", "progression", "EO-mse"),
)
"""Sample, target and method of each run; the last run of a sample is shown."""

BUDGET, SEED = 60, 1
DARK_PLOTS = ("surrogate_map", "membership", "diversity", "parallel")
ON_REQUEST = ("columns",)
"""Plots that are empty until something is computed; Why of Results shows the same."""

NORMAL_SIZE, SMALL_SIZE, LARGE_SIZE, PLOT_SIZE = (1280, 800), (1280, 720), (1920, 1080), (880, 544)


@dataclass(frozen=True)
class Picture:
    """One picture: file name without suffix, chapter, caption and content."""

    name: str
    chapter: str
    caption: str
    sample: str
    shot: ScreenshotOptions
    width: int | None = None


def pictures() -> Iterator[Picture]:
    """Yield the pictures of docs/gallery."""
    for page in PAGES:
        shot = ScreenshotOptions(page=page, size=NORMAL_SIZE)
        yield Picture(page, "Pages", f"The {page} page", "digits", shot)
    for sample, page in itertools.product(("breast_cancer", "diabetes"), ("live", "results")):
        shot = ScreenshotOptions(page=page, size=NORMAL_SIZE)
        caption = f"The {page} page: {TITLES[sample]}"
        yield Picture(f"{page}-{sample}", "Other tables", caption, sample, shot)
    for page in PAGES:
        shot = ScreenshotOptions(page=page, size=NORMAL_SIZE, is_dark=True)
        yield Picture(f"{page}-dark", "Dark", f"The {page} page, dark", "digits", shot)
    for question in QUESTIONS[1:]:
        shot = ScreenshotOptions(question=question.key, size=NORMAL_SIZE)
        name = f"results-{question.key}"
        yield Picture(name, "Answers", question.tip, "breast_cancer", shot)
    for plot in REGISTRY:
        if plot.key in ON_REQUEST:
            continue
        shot = ScreenshotOptions(size=PLOT_SIZE, plots=(plot.key,), omits_window=True)
        yield Picture(f"plot-{plot.key}", "Plots", plot.title, "digits", shot)
    for plot in REGISTRY:
        if plot.key in DARK_PLOTS:
            shot = ScreenshotOptions(
                size=PLOT_SIZE, plots=(plot.key,), omits_window=True, is_dark=True
            )
            yield Picture(f"plot-{plot.key}-dark", "Plots", f"{plot.title}, dark", "digits", shot)
    shot = ScreenshotOptions(size=LARGE_SIZE, scale=2.0)
    yield Picture("live-4k", "Screens", "3840 × 2160 (made smaller)", "digits", shot, 1920)
    for page in ("run", "live"):
        shot = ScreenshotOptions(page=page, size=SMALL_SIZE)
        yield Picture(f"{page}-small", "Screens", "1280 × 720", "digits", shot)
        shot = ScreenshotOptions(page=page, size=LARGE_SIZE, is_presentation=True)
        caption = "Presentation mode, 1920 × 1080"
        yield Picture(f"{page}-presenting", "Screens", caption, "digits", shot)
    shot = ScreenshotOptions(size=SMALL_SIZE, is_presentation=True)
    yield Picture("live-presenting-small", "Screens", "Presentation, 1280 × 720", "digits", shot)
    for language, chapter in (("fr", "French"), (PSEUDO, "Longer words, for tests")):
        if language in _others():
            for page in PAGES:
                shot = ScreenshotOptions(page=page, size=NORMAL_SIZE, language=language)
                caption = f"The {page} page"
                yield Picture(f"{page}-{language}", chapter, caption, "digits", shot)


def every() -> Iterator[Picture]:
    """Yield every page and plot of every sample, light and dark, at each size, in each language."""
    looks = itertools.product(
        TITLES,
        (1.0, 2.0),
        (SMALL_SIZE, NORMAL_SIZE, LARGE_SIZE),
        (False, True),
        (ENGLISH, *_others()),
    )
    for sample, scale, size, dark, language in looks:
        mood = "dark" if dark else "light"
        variant = f"{size[0]}x{size[1]}@{scale:g}-{mood}-{language}"
        for page in PAGES:
            shot = ScreenshotOptions(
                page=page, size=size, scale=scale, is_dark=dark, language=language
            )
            yield Picture(f"{sample}-{page}-{variant}", sample, variant, sample, shot)
        for plot in REGISTRY if size == NORMAL_SIZE else ():
            shot = ScreenshotOptions(
                size=PLOT_SIZE, scale=scale, plots=(plot.key,), omits_window=True, is_dark=dark,
                        language=language)  # fmt: skip
            yield Picture(f"{sample}-plot-{plot.key}-{variant}", sample, variant, sample, shot)


def _others() -> tuple[str, ...]:
    """Return the languages besides English, including the pseudo-language."""
    return (*(language for language in list_languages() if language != ENGLISH), PSEUDO)


def make_runs(folder: Path) -> None:
    """Compute the missing runs."""
    missing = {sample for sample in TITLES if not (folder / f"{sample}.studio").exists()}
    for sample, target, method in RUNS:
        if sample not in missing:
            continue
        table = ROOT / "resources" / "samples" / f"{sample}.csv"
        begin = [sys.executable, "-m", "studio", "run", str(table), "--target", target]
        options = [
            "--method",
            method,
            "--budget",
            str(BUDGET),
            "--seed",
            str(SEED),
            "--workers",
            "1",
        ]
        output = ["--quiet", "-o", str(folder / f"{sample}.studio")]
        print(f"{TITLES[sample]}: {method}", flush=True)
        subprocess.run([*begin, *options, *output], check=True)


def make_pictures(selected: list[Picture], runs: Path, out: Path) -> None:
    """Take the pictures, one process per scale."""
    out.mkdir(parents=True, exist_ok=True)
    spawn = multiprocessing.get_context("spawn")
    for scale in sorted({picture.shot.scale for picture in selected}):
        with ProcessPoolExecutor(1, mp_context=spawn) as process:
            for picture in selected:
                if picture.shot.scale == scale:
                    path = out / f"{picture.name}.png"
                    document = runs / f"{picture.sample}.studio"
                    process.submit(capture, document, path, picture.shot).result()
                    shrink(path, picture.width)
                    print(path.name, flush=True)


def write_index(listed: list[Picture], out: Path) -> None:
    """Write README.md: the pictures with their captions."""
    chapters: dict[str, list[str]] = {}
    for picture in listed:
        if (out / f"{picture.name}.png").exists():
            lines = chapters.setdefault(picture.chapter, [])
            lines += [f"**{picture.caption}**", "", f"![{picture.caption}]({picture.name}.png)", ""]
    whole = [
        "# Gallery",
        "",
        "The window as it is, on runs of "
        f"{BUDGET} trials of the shipped samples: BO-best and EO-sig on the handwritten digits, "
        "DivBO on breast cancer, EO-mse on diabetes progression.",
        "",
        "Made by `python packaging/gallery.py`; that with `--all -o FOLDER` makes every page and "
        "plot of each sample, light and dark, at scale 1 and 2, small and large, in each language.",
        "",
    ]
    for chapter, lines in chapters.items():
        whole += [f"## {chapter}", "", *lines]
    (out / "README.md").write_text("\n".join(whole), encoding="utf-8")


def main() -> int:
    """Compute the runs, take the pictures, write the index."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME")
    parser.add_argument("--all", action="store_true", help="every page in every look (needs -o)")
    parser.add_argument("-o", "--output", type=Path, default=OUT)
    parser.add_argument("--runs", type=Path, help="a folder that keeps the runs")
    arguments = parser.parse_args()
    if arguments.all and arguments.output == OUT:
        parser.error("--all makes a thousand pictures: name a folder with -o")
    listed = list(every() if arguments.all else pictures())
    selected = [each for each in listed if each.name.startswith(tuple(arguments.only))]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, QT_QPA_PLATFORM="offscreen")
        runs = arguments.runs or Path(folder) / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        make_runs(runs)
        make_pictures(selected, runs, arguments.output)
    write_index(listed, arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
