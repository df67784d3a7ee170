"""A study's results as one Markdown page."""

import platform
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from studio.compare.peers import libraries
from studio.compare.study import Study
from studio.compare.tables.table import ResultTable, share_text
from studio.compare.writers.markdown import escaped, markdown
from studio.figures.shapes import Diagram
from studio.libraries import version_of
from studio.version import VERSION

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "lightgbm")


def report(
    study: Study,
    made: Sequence[ResultTable],
    failures: Mapping[str, str],
    drawn: Sequence[Diagram] = (),
    pictures: str = "",
    *,
    verdict: Sequence[str] = (),
) -> str:
    """Return the page.

    Args:
        study: What was asked for.
        made: What it found.
        failures: Cells and data sets that failed, with the reason.
        drawn: Those that the page shows.
        pictures: The folder in which their SVG files lie, seen from the page.
        verdict: What it all comes to: the page begins with it.
    """
    parts = [
        _head(study, verdict),
        *(markdown(table) for table in made),
        *(
            f"## {escaped(each.title)}\n\n{escaped(each.caption)}\n\n"
            f"![{escaped(each.title)}]({_address(pictures)}/{each.key}.svg)"
            for each in drawn
        ),
        _failures(failures),
        _circumstances(study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(study: Study, verdict: Sequence[str]) -> str:
    plan = study.plan
    division = (
        f"{plan.folds}-fold cross-validation, {share_text(plan.test)} of the rows for the test"
        if plan.folds
        else f"training {share_text(plan.train)}, validation {share_text(plan.validation)}, "
        f"test {share_text(plan.test)}"
    )
    models = (
        "Test errors are those of the chosen models, refitted on all rows but the test rows."
        if study.refit
        else "Test errors are those of the chosen models as the trials fitted them."
    )
    lines = [
        f"# {_paragraph(study.title) or 'Comparison'}",
        f"**{escaped(verdict[0])}**" if verdict else "",
        escaped(" ".join(verdict[1:])),
        _paragraph(study.summary),
        f"Reference: {_paragraph(study.reference)}." if study.reference else "",
        f"{_counted(len(study.data), 'data set')}, {_counted(len(study.methods), 'method')}, "
        f"{_counted(study.repetitions, 'repetition')} of {_counted(study.budget, 'trial')} "
        f"(at most {study.trial_seconds:g} s each); "
        f"{division}. All methods of a repetition have the same split and seed. {models}",
    ]
    return "\n\n".join(line for line in lines if line)


def _paragraph(text: str) -> str:
    """Return a study's own words, which may have several lines, as a paragraph."""
    return escaped(" ".join(text.split()))


def _address(folder: str) -> str:
    """Return a folder as the address of a picture in it."""
    return quote(folder, errors="surrogateescape")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _failures(failures: Mapping[str, str]) -> str:
    if not failures:
        return ""
    lines = [f"- {escaped(name)}: {escaped(message)}" for name, message in failures.items()]
    return "## Not finished\n\n" + "\n".join(lines)


def _circumstances(study: Study) -> str:
    methods = "\n".join(
        f"- {escaped(each.name)}: {escaped(each.method)}"
        + "".join(f", {escaped(f'{name} = {value}')}" for name, value in each.set.items())
        for each in study.methods
    )
    names = (*_LIBRARIES, *libraries(study.methods))
    versions = ", ".join(f"{name} {found}" for name in names if (found := version_of(name)))
    return (
        f"## Methods, seeds, versions\n\n{methods}\n\n"
        f"Study seed {study.seed}; the split of a repetition is drawn from (seed, data set, "
        "repetition), the run's seed from (seed, repetition).\n\n"
        f"Ensemble Studio {VERSION}, Python {platform.python_version()}, {versions}; "
        f"{platform.system()} {platform.machine()}."
    )
