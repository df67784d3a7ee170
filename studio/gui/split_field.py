"""How rows are divided: the choice between one hold-out and k folds, with its shares."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from studio.gui import kit
from studio.gui.fields import Choice, Field, NumberEdit, whole
from studio.gui.theme import GRID

_HOLDOUT, _FOLDS = "holdout", "folds"


class SplitField(QWidget):
    """Edits a split (:class:`studio.data.splits.SplitPlan` as JSON)."""

    plan_changed = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: dict[str, Any] = {}
        self._n_rows = 0
        self._classes = True
        self._kept = ""
        self.kind = Choice(
            [(_HOLDOUT, "Hold-out"), (_FOLDS, "k-fold cross-validation")], self._kind_taken
        )
        self.kind_field = Field(
            "How models are judged (evaluation)",
            self.kind,
            tip="Hold-out: one part of the rows is kept to judge models. "
            "k-fold: every row is used to judge once; slower, steadier on small tables.",
        )
        self.train = NumberEdit(whole(1, 98), lambda v: self._share("train", v))
        self.validation = NumberEdit(whole(1, 98), lambda v: self._share("validation", v))
        self.test = NumberEdit(whole(0, 98), lambda v: self._share("test", v))
        self.folds = NumberEdit(whole(2, 50), lambda v: self._changed(folds=v))
        self.seed = NumberEdit(whole(0, 2**31 - 1), lambda v: self._changed(seed=v))
        self._fields = {
            name: Field(title, edit, unit=unit, tip=tip)
            for name, title, edit, unit, tip in (
                ("train", "Train", self.train, "%", "Rows that models learn from"),
                (
                    "validation",
                    "Validate",
                    self.validation,
                    "%",
                    "Rows by which models are compared and the ensemble is built",
                ),
                ("folds", "Folds (k)", self.folds, "", "How many parts take turns"),
                (
                    "test",
                    "Test",
                    self.test,
                    "%",
                    "Rows that are never used for choosing; they tell the final error",
                ),
                ("seed", "Seed", self.seed, "", "The same seed divides rows the same way"),
            )
        }
        for name, field in self._fields.items():
            edit = field.control
            assert isinstance(edit, NumberEdit)
            edit.complain = partial(self._complain, name)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        for field in self._fields.values():
            line.addWidget(field, 1)
        self.note = kit.label("", "small", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GRID)
        column.addWidget(self.kind_field)
        column.addLayout(line)
        column.addWidget(self.note)

    def show_plan(
        self, plan: Mapping[str, Any], n_rows: int, *, classes: bool = True, kept: str = ""
    ) -> None:
        """Show a plan, and what it means for a table of ``n_rows`` rows (:func:`in_words`)."""
        self._plan, self._n_rows, self._classes = dict(plan), n_rows, classes
        self._kept = kept
        folds = plan["folds"] is not None
        self.kind.show_value(_FOLDS if folds else _HOLDOUT)
        for name in ("train", "validation", "test"):
            edit = self._fields[name].control
            assert isinstance(edit, NumberEdit)
            edit.show_value(round(100 * plan[name]))
        self.folds.show_value(plan["folds"])
        self.seed.show_value(plan["seed"])
        self._fields["train"].setVisible(not folds)
        self._fields["validation"].setVisible(not folds)
        self._fields["folds"].setVisible(folds)
        self._complain("", "")

    def _kind_taken(self, kind: object) -> None:
        if (kind == _FOLDS) != (self._plan["folds"] is not None):
            test = self._plan["test"]
            self._changed(
                folds=5 if kind == _FOLDS else None,
                train=round(0.75 * (1 - test), 2),
                validation=round(1 - test - round(0.75 * (1 - test), 2), 2),
            )

    def _share(self, name: str, value: object) -> None:
        """Take a share in percent; the training share (or the validation's) takes the rest."""
        assert isinstance(value, int)
        percent = {each: round(100 * self._plan[each]) for each in ("train", "validation", "test")}
        percent[name] = value
        rest = "validation" if name == "train" else "train"
        percent[rest] = 100 - sum(share for each, share in percent.items() if each != rest)
        if percent[rest] < 1:
            purpose = "learn from" if rest == "train" else "judge by"
            self._complain(name, f"No rows would be left to {purpose}.")
            return
        self._changed(**{each: share / 100 for each, share in percent.items()})

    def _changed(self, **values: object) -> None:
        self.plan_changed.emit({**self._plan, **values})

    def _complain(self, name: str, text: str) -> None:
        if name:
            kit.set_role(self._fields[name].control, "false" if text else "true", "valid")
        if not text:
            for field in self._fields.values():
                kit.set_role(field.control, "true", "valid")
        kit.set_role(self.note, "problem" if text else "small")
        words = in_words(self._plan, self._n_rows, classes=self._classes, kept=self._kept)
        self.note.setText(text or words)


def in_words(plan: Mapping[str, Any], n_rows: int, *, classes: bool = True, kept: str = "") -> str:
    """Say what a plan means for a table.

    Parameters
    ----------
    plan : Mapping
        A :class:`studio.data.splits.SplitPlan` as JSON.
    n_rows : int
        Rows of the table.
    classes : bool
        Whether classes are predicted.
    kept : str
        Whether whole groups ("group") or the order of time ("time") shape the parts.
    """
    test = round(plan["test"] * n_rows)
    tail = "; classes keep their shares (stratified)." if classes else "."
    if kept == "group":
        tail = ", about: rows of one group stay together."
    elif kept == "time":
        turns = "; each turn is a stretch of time" if plan["folds"] is not None else ""
        tail = f" in order of time: the latest rows are the test{turns}."
    if plan["folds"] is not None:
        rest = n_rows - test
        return f"{plan['folds']} turns over {rest:,} rows; {test:,} rows for the test{tail}"
    validation = round(plan["validation"] * n_rows)
    train = n_rows - test - validation
    if plan.get("cap") is not None and train > plan["cap"]:
        validation, train = validation + train - plan["cap"], plan["cap"]
    return f"{train:,} rows to learn, {validation:,} to compare, {test:,} for the test{tail}"
