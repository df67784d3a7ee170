"""Description of a study in words: contents, omissions, progress."""

from collections.abc import Mapping

from studio.compare.study_notes import StudyJson
from studio.gui.pages.compare.draft import StudyDraft
from studio.gui.pages.compare.grid_view import GridView
from studio.language import group_digits, ntr, tr
from studio.measure import format_duration, format_time_left


def describe_size(study: StudyJson | StudyDraft, n_excluded: int | None = 0) -> str:
    """Describe the size: "6 data sets × 4 methods × 5 repetitions = 120 runs, each of 50 trials".

    Args:
        study: A single space is not counted.
        n_excluded: Number of runs that are impossible for a data set or its task; ``None`` while
            a table has not been read.
    """
    data, spaces, methods = map(len, (study.data, study.spaces, study.methods))
    repetitions, budget, seconds = study.repetitions, study.budget, study.seconds
    parts = [ntr("{count} data set", "{count} data sets", data)]
    if spaces > 1:
        parts.append(ntr("{count} space", "{count} spaces", spaces))
    parts.append(ntr("{count} method", "{count} methods", methods))
    parts.append(ntr("{count} repetition", "{count} repetitions", repetitions))
    runs = data * spaces * methods * repetitions - (n_excluded or 0)
    product = " × ".join(parts)
    if n_excluded:
        product = ntr(
            "{product} − {count} left out", "{product} − {count} left out", n_excluded,
            product=product,
        )  # fmt: skip
    limits = [] if budget is None else [ntr("{count} trial", "{count} trials", budget)]
    if seconds is not None:
        limits.append(format_duration(seconds))
    if n_excluded is None:
        return product
    texts = {"product": product, "runs": ntr("{count} run", "{count} runs", runs)}
    if len(limits) > 1:
        return tr("{product} = {runs}, each of at most {trials} or {time}",
            **texts, trials=limits[0], time=limits[1])  # fmt: skip
    return tr("{product} = {runs}, each of {trials}", **texts, trials="".join(limits))


def add_longest_run(size: str, seconds: float | None, longest: float, n_trials: int) -> str:
    """Add the time of the longest run to a study's size if it exceeds the limit, and the reason.

    Args:
        seconds: The time limit; ``None`` for none.
        longest: The seconds of the longest run.
        n_trials: Its number of trials: the limit does not apply to the first one.
    """
    if seconds is None or longest <= seconds:
        return size
    time = format_duration(longest)
    if time == format_duration(seconds):
        return size
    if n_trials > 1:
        return tr("{size} (the longest took {time})", size=size, time=time)
    return tr(
        "{size} (the longest took {time}: each waits for its first model)", size=size, time=time
    )


def list_failures(grid: GridView, failures: Mapping[str, str]) -> dict[str, str]:
    """Return omissions with their reasons: those reported by the coordinator, and failed runs."""
    result = dict(failures)
    for row in grid.rows:
        for method, cell in zip(grid.methods, row.cells, strict=True):
            for each in cell.segments:
                if each.state == "failed":
                    name = f"{row.name} · {method} · {each.repetition}"
                    result.setdefault(name, each.message)
    return result


def format_progress(grid: GridView, seconds_left: float | None, *, is_running: bool) -> str:
    """Describe a study's progress: "43 of 120 runs · 2 running · 1 failed · about 25 min left"."""
    finished, failed, n_excluded = grid.count("finished"), grid.count("failed"), grid.count("out")
    done = group_digits(finished)
    text = ntr("{done} of {count} run finished", "{done} of {count} runs finished",
        grid.n_planned_runs, done=done)  # fmt: skip
    parts = [text]
    if running := grid.count("running"):
        parts.append(ntr("{count} running", "{count} running", running))
    if failed:
        parts.append(ntr("{count} failed", "{count} failed", failed))
    if n_excluded:
        parts.append(ntr("{count} left out", "{count} left out", n_excluded))
    if is_running and finished + failed < grid.n_planned_runs:
        text = tr("time left: estimated after the first runs")
        if seconds_left is not None:
            text = tr("about {time} left", time=format_time_left(seconds_left))
        parts.append(text)
    return " · ".join(parts)
