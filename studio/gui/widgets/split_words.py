"""What a split of rows means for a table, in words."""

from studio.data.split_plan import SplitPlan
from studio.language import grouped, ntr, tr


def in_words(plan: SplitPlan, n_rows: int, *, classes: bool | None = None, kept: str = "") -> str:
    """Say what a plan means for a table.

    Args:
        plan: How they are divided.
        n_rows: Rows of the table; of none, while it is read, nothing is said.
        classes: Whether classes are predicted; ``None`` where there are several tables.
        kept: Whether whole groups ("group") or the order of time ("time") shape the parts.
    """
    if n_rows < 1:
        return ""
    test = round(plan.test * n_rows)
    if plan.folds is not None:
        folds = ntr("{count} fold", "{count} folds", plan.folds)
        parts = tr(
            "{folds} over about {rest} rows; {test} rows for the test",
            folds=folds,
            rest=grouped(n_rows - test),
            test=grouped(test),
        )
    else:
        validation = round(plan.validation * n_rows)
        train = n_rows - test - validation
        if plan.cap is not None and train > plan.cap:
            validation, train = validation + train - plan.cap, plan.cap
        parts = tr(
            "About {train} rows to learn, {validation} to compare, {test} for the test",
            train=grouped(train),
            validation=grouped(validation),
            test=grouped(test),
        )
    if kept == "group":
        return tr("{parts}; rows of one group stay together.", parts=parts)
    if kept == "time" and plan.folds is not None:
        return tr(
            "{parts} in order of time: the latest rows are the test; each fold is a period of "
            "time.",
            parts=parts,
        )
    if kept == "time":
        return tr("{parts} in order of time: the latest rows are the test.", parts=parts)
    if classes is False:
        return f"{parts}."
    return (
        tr("{parts}; classes keep their shares (stratified).", parts=parts)
        if classes
        else tr(
            "{parts}; where classes are predicted, they keep their shares (stratified).",
            parts=parts,
        )
    )


def program_words(division: str, test: int) -> str:
    """Say how the program divides the rows.

    Args:
        division: What it would choose, with the reason; empty while that is not known.
        test: Rows that are kept for the test.
    """
    chosen = (
        f"{division[0].upper()}{division[1:]}."
        if division
        else tr("Chosen when the run starts, depending on the number of rows and your time limit.")
    )
    kept = ntr("1 row is kept for the test.", "{count} rows are kept for the test.", test)
    return f"{chosen} {kept}" if test else chosen
