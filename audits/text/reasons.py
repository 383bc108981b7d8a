"""Reasons that people have to give before a rule is set aside: a blank one is none, whatever the blank is made of."""

from audits.text.invisible import visible


def reason_in(text: str) -> str:
    """The reason without blanks around it; "" where no letter or digit of it can be seen.

    It is printed on certificates. NUL characters, which no database takes, are left out.
    """
    kept = text.replace("\x00", "").strip()
    return kept if any(character.isalnum() for character in visible(kept)) else ""
