"""How one person likes the desk: what follows a label, and which keys do what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from review.desk_keys import CHORDS, DEFAULTS, for_scripts, merged
from review.models import DeskSettings


@dataclass(frozen=True)
class Preferences:
    """pace: a DeskSettings.Pace. keys: act -> key, all of them, also while single keys are off."""

    pace: str
    single_keys: bool
    keys: Mapping[str, str]

    @property
    def shows_verdicts(self) -> bool:
        """Whether the judges' verdicts follow each label, where the project allows it."""
        return self.pace == DeskSettings.Pace.VERDICTS

    @property
    def caps(self) -> Mapping[str, str]:
        """act -> what stands on a key cap; without single keys only the labels and skipping have any."""
        if not self.single_keys:
            return {act: f"Ctrl {digit}" for act, digit in CHORDS.items()}
        return {act: key.upper() for act, key in self.keys.items()}

    @property
    def shortcuts(self) -> Mapping[str, str]:
        """act -> value of aria-keyshortcuts."""
        if not self.single_keys:
            return {act: f"Control+{digit} Alt+{digit}" for act, digit in CHORDS.items()}
        return self.caps

    @property
    def for_scripts(self) -> str:
        """key -> act as JSON; no keys without single keys."""
        return for_scripts(self.keys if self.single_keys else {})


def preferences(user: Any) -> Preferences:
    """What the person chose, else the defaults."""
    row = DeskSettings.objects.filter(user=user).first()
    if row is None:
        return Preferences(DeskSettings.Pace.NEXT, True, DEFAULTS)
    return Preferences(row.pace, row.single_keys, merged(row.keys if isinstance(row.keys, dict) else {}))
