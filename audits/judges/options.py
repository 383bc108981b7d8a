"""Parameters that a model may refuse, each with what to send instead."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_REFUSAL = re.compile(
    r"unsupported|not support|n[o']t (?:be )?(?:permitted|allowed|available)|unavailable|unknown|unrecogni[sz]ed"
    r"|unexpected|extra (?:inputs?|fields?)|deprecated|invalid (?:parameter|argument)|does not exist|不支持|未知参数",
    re.IGNORECASE,
)


class Options:
    """The optional part of a request body, learning once and for all what its model does not take.

    groups: name -> alternatives in order of preference, each a piece of the body; {} sends nothing.
    hints: name -> words by which a complaint may mean the group without naming its parameter.
    """

    def __init__(
        self, groups: Mapping[str, Sequence[Mapping[str, Any]]], hints: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._groups = groups
        self._hints = hints or {}
        self._chosen = dict.fromkeys(groups, 0)
        self.notes: tuple[str, ...] = ()

    def choice(self) -> dict[str, int]:
        """Which alternative of each group is sent now."""
        return dict(self._chosen)

    def body(self) -> dict[str, Any]:
        """The piece of the request body to send now."""
        return {
            key: value for name, index in self._chosen.items() for key, value in self._groups[name][index].items()
        }

    def learn(self, sent: Mapping[str, int], param: str, text: str) -> bool:
        """Take a 400's complaint about what was `sent`. True when the request should be sent again in another form.

        Several calls may be refused at once; each moves a group on only from what it had sent itself.
        """
        name = self._meant(sent, param, text)
        if name is not None and self._chosen[name] == sent[name]:
            old, new = (self._groups[name][index] for index in (sent[name], sent[name] + 1))
            self._chosen[name] += 1
            said = f"sent as {_name(new)}" if new else "left out"
            self.notes += (f"{_name(old)}: refused by the model, {said}",)
        return self._chosen != sent

    def _meant(self, sent: Mapping[str, int], param: str, text: str) -> str | None:
        refused = bool(_REFUSAL.search(text))
        named: str | None = None
        for name, index in sent.items():
            alternatives = self._groups[name]
            if index + 1 >= len(alternatives) or not alternatives[index]:
                continue
            if any(re.split(r"[.\[]", param)[0] == key for key in alternatives[index]) and refused:
                return name
            words = (*alternatives[index], *self._hints.get(name, ()))
            if named is None and any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words):
                named = name
        return named if refused else None


def _name(piece: Mapping[str, Any]) -> str:
    """A piece of the body for people: its keys, with the kind where two alternatives share a key."""
    return ", ".join(
        f"{key} {value['type']}" if isinstance(value, Mapping) and "type" in value else key
        for key, value in piece.items()
    )
