import errno

import pytest

from studio.errors import LearnerError
from studio.runs.causes import (
    make_exception_failure,
    make_memory_failure,
    make_process_death_failure,
    make_time_limit_failure,
    make_unreadable_answer_failure,
)
from studio.runs.limits import MEGABYTE, TrialLimits
from studio.system_faults import explain_system_error
from tests.facts import facts

LIMITS = TrialLimits(300.0, 500 * MEGABYTE)


def test_memory_error_names_limit_and_remedy():
    failure = make_exception_failure("SVM", MemoryError(), LIMITS)
    assert facts(failure.cause) == {"megabytes": "500"}
    assert "Raise that limit" in failure.remedy


def test_memory_failure_without_limit_names_machine():
    assert "than the machine" in make_memory_failure(TrialLimits()).cause


def test_out_of_memory_error_of_library_is_recognised():
    assert (
        "500 MB" in make_exception_failure("Boosting", RuntimeError("std::bad_alloc"), LIMITS).cause
    )


def test_slow_trial_failure_contains_limit():
    assert "within 300 seconds" in make_time_limit_failure(LIMITS).cause


def test_studio_error_messages_are_not_changed():
    ours = LearnerError("It must be so.")
    assert make_exception_failure("SVM", ours, LIMITS).cause == str(ours)


def test_full_disk_of_a_worker_is_explained():
    full = OSError(errno.ENOSPC, "No space left on device")
    assert make_exception_failure("SVM", full, LIMITS).cause == explain_system_error(full)


def test_library_message_is_one_short_line():
    failure = make_exception_failure("SVM", ValueError("a\n  b" + "c" * 1000), LIMITS)
    cause_facts = facts(failure.cause)
    assert failure.cause.startswith("SVM ") and cause_facts["fault"] == "ValueError"
    assert cause_facts["words"].startswith("a bccc")
    assert len(failure.cause) < 400


def test_exception_without_message_has_cause():
    assert make_exception_failure("SVM", KeyError(), LIMITS).cause.endswith(": KeyError.")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (-11, "segmentation fault, signal 11"),
        (-6, "abort, signal 6"),
        (-9, "system killed it"),
        (-63, "signal 63"),
        (7, "exit code 7"),
        (0, "exit code 0"),
    ],
)
def test_process_exit_is_described(code, expected):
    assert expected in make_process_death_failure(code, LIMITS).cause


def test_failures_have_remedies():
    failures = [
        make_time_limit_failure(LIMITS),
        make_memory_failure(LIMITS),
        make_memory_failure(TrialLimits()),
        make_unreadable_answer_failure(),
        make_process_death_failure(-9, LIMITS),
        make_process_death_failure(-11, TrialLimits()),
        make_process_death_failure(1, LIMITS),
        make_exception_failure("SVM", ValueError("x"), LIMITS),
        make_exception_failure("SVM", LearnerError("x"), LIMITS),
        make_exception_failure("SVM", SystemExit(1), LIMITS),
    ]
    for failure in failures:
        assert failure.cause.endswith((".", "x"))
        assert failure.remedy.endswith(".")


def test_preprocessing_without_remaining_columns_is_reported():
    error = ValueError("Found array with 0 feature(s) (shape=(60, 0)) while a minimum of 1 is")
    assert make_exception_failure("SVM", error, LIMITS).cause.startswith("No column ")
    other = ValueError("Found array with 10 feature(s) while a minimum of 20 is required.")
    assert "10 feature(s)" in make_exception_failure("SVM", other, LIMITS).cause


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (make_time_limit_failure(LIMITS), "time"),
        (make_memory_failure(LIMITS), "memory"),
        (make_memory_failure(TrialLimits()), "memory"),
        (make_process_death_failure(-9, LIMITS), "memory"),
        (make_process_death_failure(-11, LIMITS), "crash"),
        (make_process_death_failure(3, LIMITS), "crash"),
        (make_unreadable_answer_failure(), "crash"),
        (make_exception_failure("SVM", ValueError("x"), LIMITS), "other"),
    ],
)
def test_failure_kind_is_preserved(failure, kind):
    assert failure.kind == kind
