"""Headlines of several runs."""

import re
from collections.abc import Callable
from dataclasses import replace

from studio.document.journal import RunningJob
from studio.document.trials import Iteration
from studio.gui.pages.live.run_headlines import (
    ComparedRuns,
    describe_columns,
    describe_current_work,
    describe_lowest,
    describe_runs,
    describe_side_by_side,
)
from studio.gui.session.run_differences import RunDifferences
from studio.gui.session.run_view import RunView
from studio.gui.session.wording import compute_share_done, describe_trials, format_progress
from studio.measure import Measure
from studio.trial import Trial
from tests.facts import contains_facts
from tests.results import make_result

SAME_ROWS = RunDifferences()
ERROR = Measure.from_title("Error rate", "%")


def make_runs(make_view: Callable[..., RunView], *losses: float) -> list[RunView]:
    results = [make_result(test_error_ensemble=each) for each in losses]
    return [
        make_view(id=i, name=f"run {i}", state="finished", result=each)
        for i, each in enumerate(results, 1)
    ]


def test_column_headlines_mark_lowest_error(make_view: Callable[..., RunView]) -> None:
    views, measures = make_runs(make_view, 0.05, 0.04, 0.06), [ERROR] * 3
    runs = ComparedRuns(views, measures, [None] * 3, SAME_ROWS)
    headlines = describe_columns(runs)
    assert [each.figure for each in headlines] == ["5.0 %", "4.0 %", "6.0 %"]
    assert ["lowest" in each.subtitle for each in headlines] == [False, True, False]
    assert all("run 2" in each for each in describe_lowest(runs))
    assert describe_lowest(replace(runs, differences=RunDifferences(same_test_rows=False))) == ()
    equal = make_runs(make_view, 0.05, 0.05)
    tied_runs = ComparedRuns(equal, measures[:2], [None] * 2, SAME_ROWS)
    tie = describe_lowest(tied_runs)
    assert all(each.startswith("Equal") and "5.0 %" in each for each in tie)
    about = describe_columns(tied_runs)[0].subtitle
    assert "lowest" not in about


def test_fork_without_trials_is_not_ranked(make_view: Callable[..., RunView]) -> None:
    views = make_runs(make_view, 0.05, 0.04)
    settings = {"method": "RS", "metric": "error", "forked": {"run": 1, "iteration": 12}}
    views[1].row = replace(views[1].row, settings=settings)
    for n_trials, is_ranked in ((12, False), (13, True)):
        views[1].trials = [Trial(number, {}, 0, 0.5) for number in range(1, n_trials + 1)]
        runs = ComparedRuns(views, [ERROR] * 2, [None] * 2, SAME_ROWS)
        assert bool(describe_lowest(runs)) == is_ranked
        assert any("lowest" in each.subtitle for each in describe_columns(runs)) == is_ranked
    views[1].row = replace(views[1].row, settings={**settings, "budget": 12})
    views[1].trials = views[1].trials[:12]
    runs = replace(runs)
    assert describe_lowest(runs), "its method only builds ensembles of these trials"


def test_continued_run_does_not_show_trials_of_its_killed_engine(
    make_view: Callable[..., RunView],
) -> None:
    view = make_view()
    view.running = (RunningJob(0, {"algorithm": "forest"}, 100.0),)
    assert "0:35" in describe_current_work(view, ERROR, None, 135.0)
    view.pending_request = "continue"
    assert "0:35" not in describe_current_work(view, ERROR, None, 135.0)
    view.adopt_running_jobs((RunningJob(0, {"algorithm": "forest"}, 130.0),))
    assert "0:05" in describe_current_work(view, ERROR, None, 135.0)


def test_headlines_state_overlapping_intervals(make_view: Callable[..., RunView]) -> None:
    def describe(other: tuple[float, float], moments: list[int | None]) -> list[str]:
        views = make_runs(make_view, 0.12, 0.09)
        for view, interval in zip(views, (other, (0.06, 0.13)), strict=True):
            assert view.row.result is not None
            result = replace(view.row.result, test_interval=interval)
            view.row = replace(view.row, result=result)
            view.iterations = [Iteration(k, 1, 0.1, 0.1, 0.01, 0.08) for k in (1, 2)]
        runs = ComparedRuns(views, [ERROR] * 2, moments, SAME_ROWS)
        return [describe_runs(runs)[0], *describe_lowest(runs)]

    assert all("overlap" in each for each in describe((0.09, 0.16), [None, None]))
    assert not any("overlap" in each for each in describe((0.14, 0.16), [None, None]))
    assert not any("overlap" in each for each in describe((0.09, 0.16), [1, 1]))


def test_validation_errors_on_different_rows_are_not_ranked(
    make_view: Callable[..., RunView],
) -> None:
    views = [make_view(id=k, name=f"run {k}", state="running") for k in (1, 2)]
    for view, loss in zip(views, (0.08, 0.07), strict=True):
        view.iterations = [Iteration(1, 1, loss, 0.1, loss, None)]
    reason = "Other rows: no ranking"
    other_rows = RunDifferences((reason, "Other space"), same_validation_rows=False)
    assert describe_lowest(ComparedRuns(views, [ERROR] * 2, [None] * 2, SAME_ROWS))
    assert describe_lowest(ComparedRuns(views, [ERROR] * 2, [None] * 2, other_rows)) == ()
    headlines = describe_columns(ComparedRuns(views, [ERROR] * 2, [None] * 2, other_rows))
    assert not any("lowest" in each.subtitle for each in headlines)
    for describe in (describe_runs, describe_side_by_side):
        texts = describe(ComparedRuns(views, [ERROR] * 2, [None] * 2, other_rows))
        assert texts == (reason, "Other rows"), "it is said once, without numbers to compare"
    assert other_rows.describe_others(reason) == "Other space"
    assert reason in other_rows.describe_others("another headline")


def test_headlines_of_ended_runs_follow_selected_iteration(
    make_view: Callable[..., RunView],
) -> None:
    views = make_runs(make_view, 0.05, 0.04)
    for view, loss in zip(views, (0.08, 0.07), strict=True):
        view.iterations = [Iteration(k, 1, 0.1, 0.1, 0.01, loss) for k in range(1, 5)]
    (text, *_) = describe_runs(ComparedRuns(views, [ERROR] * 2, [2, 2], SAME_ROWS))
    assert contains_facts(text, "test", "8.0 %", "(run 1)", "7.0 %", "(run 2)"), "as the chips"
    assert [
        each.figure
        for each in describe_columns(ComparedRuns(views, [ERROR] * 2, [2, 2], SAME_ROWS))
    ] == ["8.0 %", "7.0 %"]
    later = describe_columns(ComparedRuns(views, [ERROR] * 2, [2, 6], SAME_ROWS))
    assert contains_facts(later[0].trials, "2 of 4")
    assert contains_facts(later[1].trials, "6", "ends at 4"), "its last state, named so"
    assert "5.0 %" in describe_runs(ComparedRuns(views, [ERROR] * 2, [4, 4], SAME_ROWS))[0], (
        "the final models at the end"
    )


def test_fork_headline_counts_trials_after_fork(make_view: Callable[..., RunView]) -> None:
    settings = {"method": "RS", "budget": 42, "forked": {"run": 1, "iteration": 30}}
    fork = make_view(id=2, settings=settings)
    fork.trials = [Trial(number, {}, 0, 0.5) for number in range(1, 43)]
    assert contains_facts(format_progress(fork), "12 of 12")
    assert contains_facts(describe_trials(fork), "12", "30")
    settings["budget"] = 30
    shared = make_view(id=3, settings=settings)
    shared.trials = fork.trials[:30]
    assert format_progress(shared) == "30 of 30", "it shares a whole search"


def test_recording_neither_starts_processes_nor_runs_out_of_time(
    make_view: Callable[..., RunView],
) -> None:
    settings = {"method": "RS", "metric": "error", "seconds": 60.0}
    live, played = make_view(settings=settings), make_view(settings=settings)
    played.is_played = True
    texts = [
        describe_current_work(view, ERROR, None, 1e9, played=view.is_played)
        for view in (live, played)
    ]
    assert "Time is up" in texts[0]
    assert "recording" in texts[1]
    assert compute_share_done(played) == 0.0
    played.iterations = [Iteration(1, details={"elapsed": 15.0})]
    assert compute_share_done(played) == 0.25


def test_names_are_shortened_before_metric_and_rows(make_view: Callable[..., RunView]) -> None:
    runs = make_runs(make_view, 0.006, 0.017)
    names = "Ensemble (EO-sig)", "Single model (BO-best)"
    views = [
        replace(view, row=replace(view.row, name=name))
        for view, name in zip(runs, names, strict=True)
    ]
    texts = describe_runs(ComparedRuns(views, [ERROR] * 2, [None, None], SAME_ROWS))
    assert all(name in texts[0] for name in names)
    assert [len(each) for each in texts] == sorted(map(len, texts), reverse=True)
    assert len(texts[-1]) < 0.75 * len(texts[0])
    for each in texts:
        assert all(fact in each.lower() for fact in (ERROR.title, "test", "0.6 %", "1.7 %")), each
        (first, second) = re.findall(r" % \((.+?)\)(?:,|$)", each)
        assert first != second
    whole = [each for each in texts if all(name in each for name in names)]
    assert len(whole) > 1, "the words about the rows are shortened first"
    for name in ("Ensemble", "Single model", "EO-sig", "BO-best"):
        assert any(f"({name})" in each for each in texts)
    assert not any("…)" in each or "))" in each for each in texts if each not in whole)


def test_narrow_headline_has_numbers_of_all_runs(make_view: Callable[..., RunView]) -> None:
    views = make_runs(make_view, 0.05, 0.04, 0.06)
    shortest = describe_runs(ComparedRuns(views, [ERROR] * 3, [None] * 3, SAME_ROWS))[-1]
    assert contains_facts(shortest.lower(), ERROR.title, "5.0 %", "4.0 %", "6.0 %")
    assert "run" not in shortest


def test_note_on_overlap_is_kept_with_shorter_names(make_view: Callable[..., RunView]) -> None:
    views = make_runs(make_view, 0.12, 0.09)
    for view, name in zip(views, ("Ensemble (EO-sig)", "Single model (BO-best)"), strict=True):
        assert view.row.result is not None
        result = replace(view.row.result, test_interval=(0.06, 0.13))
        view.row = replace(view.row, name=name, result=result)
    texts = describe_runs(ComparedRuns(views, [ERROR] * 2, [None] * 2, SAME_ROWS))
    assert any("(EO-sig)" in each and "overlap" in each for each in texts)
