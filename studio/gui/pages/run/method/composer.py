"""The method as its parts: what each is, what could replace it, and its options."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.gui.base.theme import GRID
from studio.gui.pages.run.method.part_card import PartCard
from studio.gui.widgets import kit
from studio.gui.widgets.fields import Field
from studio.helper.methods import Catalogue, Possible
from studio.language import translate
from studio.parts import Option, OptionValue
from studio.proposers.composition import base_value, choose, chosen_parts, idle
from studio.proposers.preset import FROM_SEARCH, Preset

Overrides = dict[str, OptionValue]


class Composer(QWidget):
    """A card for each part that applies, in the order of a trial's way.

    Args:
        changed: Called with all overrides of the preset after each change.
        complain: Called with the name of an option's field and what is wrong with its text, or ""
            when nothing is.
    """

    def __init__(
        self,
        changed: Callable[[Overrides], None],
        complain: Callable[[str, str], None] = lambda _name, _sentence: None,
    ) -> None:
        super().__init__()
        self._changed, self._complain = changed, complain
        self._column = kit.column(on=self, spacing=GRID + GRID // 2)
        self._shown: tuple[object, ...] = ()
        self._overrides: Overrides = {}
        self._on_show: Overrides = {}
        self.cards: dict[str, PartCard] = {}

    @property
    def fields(self) -> dict[str, Field]:
        """The fields of all options, by "part.option"."""
        return {name: field for card in self.cards.values() for name, field in card.fields.items()}

    def show_method(
        self,
        preset: Preset,
        catalogue: Catalogue,
        overrides: Mapping[str, OptionValue],
    ) -> None:
        """Show a preset with what was changed in it; what is on show already is left alone."""
        self._preset, self._catalogue, self._overrides = preset, catalogue, dict(overrides)
        parts = chosen_parts(preset, overrides, catalogue.rules)
        if (preset.key, parts) == self._shown and dict(overrides) == self._on_show:
            return
        self._shown, self._on_show = (preset.key, parts), dict(overrides)
        focused = next((room for room, each in self.cards.items() if each.choice.hasFocus()), "")
        self.put_right()
        kit.clear(self._column)
        self.cards = {
            room: PartCard(
                room,
                key,
                catalogue.parts.get(room, ()),
                own=self._own(room, key),
                base=partial(self._base, room),
                overrides=overrides,
                choose=partial(self._choose, room),
                change=self._set,
                complain=self._complain,
            )
            for room, key in parts.items()
        }
        for card in self.cards.values():
            self._column.addWidget(card)
        if focused in self.cards:
            self.cards[focused].choice.setFocus()

    def put_right(self) -> None:
        """Give up what was typed and is wrong: nobody sees it any more."""
        for card in self.cards.values():
            card.put_right()

    def show_check(self, found: Possible) -> None:
        """Say what does not fit beside the part to blame, and grey what would not fit."""
        for name, card in self.cards.items():
            card.show_problem(translate(found.problem) if name == found.room else "")
            card.choice.show_refused(
                {key: translate(reason) for key, reason in found.refused.get(name, {}).items()}
            )

    def _own(self, room: str, key: str) -> str:
        """Return what is offered beside the room's list: the ensemble that the search keeps."""
        parts, rules = self._preset.all_parts(), self._catalogue.rules
        own = parts.get(room, "")
        proposer = self._overrides.get("proposer", parts["proposer"])
        if room == "ensemble" and (proposer in rules.own_ensemble or key == FROM_SEARCH):
            return FROM_SEARCH
        return own if own != FROM_SEARCH else ""

    def _base(self, room: str, option: Option) -> OptionValue:
        return base_value(self._preset, self._overrides, room, option, self._catalogue.rules)

    def _set(self, name: str, base: OptionValue, value: OptionValue) -> None:
        overrides = {key: each for key, each in self._overrides.items() if key != name}
        if value != base:
            overrides[name] = value
        forgotten = idle(self._preset, overrides, self._catalogue.parts, self._catalogue.rules)
        overrides = {key: each for key, each in overrides.items() if key not in forgotten}
        card = self.cards[name.partition(".")[0]]
        card.show_base(forgotten)  # when it counts again, it is what it was at first
        card.show_counting(overrides)
        self._on_show = overrides  # the field shows it already
        self._pass_on(overrides)

    def _choose(self, room: str, key: str) -> None:
        self._pass_on(choose(self._preset, self._overrides, room, key, self._catalogue.rules))

    def _pass_on(self, overrides: Overrides) -> None:
        self._overrides = overrides
        self._changed(overrides)
