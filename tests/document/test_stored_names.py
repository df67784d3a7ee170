"""Names of stored fields: renaming one would make earlier documents unreadable."""

import dataclasses

import pytest

from studio.compare.study_notes import CellNote, DatasetNote, StudyJson
from studio.data.column_format import ColumnFormat
from studio.data.metrics.plain_score import PlainScore
from studio.data.recipe import ColumnRecipe, Recipe, TargetRecipe
from studio.data.split_plan import SplitPlan
from studio.document.decision import Decision
from studio.document.journal import RunningJob
from studio.document.results import BestSingleModel, Member, Result
from studio.document.trials import Iteration
from studio.learners.targets import PredictionTarget
from studio.runs.kept_ensemble import StoredMetadata
from studio.runs.settings import RunSettings, TableSource
from studio.trial import Trial

STORED = {
    RunSettings: (
        "metric trial_seconds trial_memory budget seconds workers seed cluster amounts "
        "class_weights refit keep method overrides space source plan advised "
        "optional_refit averaged_refit aim forked"
    ),
    TableSource: "task reading roles kinds treatments monotone path test_path target",
    SplitPlan: "train validation test folds seed cap equal_rows",
    PredictionTarget: "level floor unit unbiased relative",
    Result: (
        "members combination temperature correction corrected_validation single metric "
        "unit test_rows test_error_single test_error_ensemble test_interval "
        "single_interval difference_interval test_error_guess headline refitted "
        "not_refitted averaged_refit notes test_notes overruled kept_bytes kept_reason "
        "trials concluding failed seconds time_budget utilisation exhausted"
    ),
    Member: "trial weight",
    BestSingleModel: "trial",
    PlainScore: (
        "rows of_classes average middle guess weighted tested beyond_chance ranked "
        "constant metric ranked_other confused guess_middle unit target_unit "
        "by_metric missed together weakest"
    ),
    Decision: "looked_for threshold miss_cost alarm_cost trials result capacity balanced",
    Trial: (
        "fit_seconds peak_memory used number configuration seed loss cause remedy "
        "suggest_seconds origin selection concluding failure"
    ),
    Iteration: (
        "number best single_validation single_test ensemble_validation ensemble_test "
        "members details"
    ),
    RunningJob: "slot configuration since origin fold folds",
    StoredMetadata: (
        "members weights combination layer trials refitted builder versions checksum "
        "temperature correction averaged_refit"
    ),
    StudyJson: (
        "metric trial_seconds trial_memory budget seconds repetitions seed rows refit "
        "title summary reference data methods target spaces split reading tables"
    ),
    CellNote: "run asked",
    DatasetNote: "file target dataset rows reading choices",
    Recipe: "features target",
    TargetRecipe: (
        "name aliases categories number_format date term limits merged missing_words task classes"
    ),
    ColumnRecipe: "name aliases categories number_format date term limits merged missing_words",
    ColumnFormat: (
        "kind reason number_format missing_words date numbers unread n_unread n_filled "
        "alternative_format"
    ),
}


@pytest.mark.parametrize("record", STORED, ids=lambda record: record.__name__)
def test_stored_fields_keep_their_names(record: type) -> None:
    """A field may be added with a default, but none renamed or removed."""
    names = {each.name for each in dataclasses.fields(record)}
    assert set(STORED[record].split()) <= names
