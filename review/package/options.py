"""What a package leaves out on choice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """pseudonymised: experts become expert-1 …, identifiers of samples hashes, and events are told by their hashes
    alone. contexts: with the texts of questions, answers and contexts, and with what quotes them."""

    pseudonymised: bool = False
    contexts: bool = True

    @property
    def suffix(self) -> str:
        """What the choice adds to the name of the file."""
        return ("-pseudonymised" if self.pseudonymised else "") + ("" if self.contexts else "-without-contexts")
