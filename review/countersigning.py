"""A second signature, by a program of the installation: a notary, a hardware token, another department's key.

The program gets the signed statement in canonical form on its standard input and writes one JSON object with three
texts: "signer", "algorithm", "signature". What they mean is between
the issuer and who relies on it; here they are kept.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence

TIMEOUT = 30  # seconds
LONGEST = {"signer": 200, "algorithm": 100, "signature": 4_000}  # characters


class CountersignError(ValueError):
    """The program gave no second signature; the message says why."""


def countersign(payload: bytes, command: Sequence[str], timeout: float = TIMEOUT) -> dict[str, str]:
    """Run the program over these bytes; {"signer", "algorithm", "signature"}. CountersignError."""
    try:
        ended = subprocess.run(  # noqa: S603  # the command is the operator's setting
            list(command), input=payload, capture_output=True, timeout=timeout, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise CountersignError(f"the program did not end well: {error}") from error
    if ended.returncode:
        raise CountersignError(f"the program ended with status {ended.returncode}")
    try:
        found = json.loads(ended.stdout)
    except (ValueError, RecursionError) as error:
        raise CountersignError("the program wrote no JSON") from error
    if not isinstance(found, Mapping) or set(found) != set(LONGEST):
        raise CountersignError('the program must write "signer", "algorithm" and "signature", and nothing else')
    for name, longest in LONGEST.items():
        if not isinstance(found[name], str) or not 0 < len(found[name]) <= longest:
            raise CountersignError(f'"{name}" must be a text of at most {longest} characters')
    if not (found["signature"].isascii() and found["signature"].isprintable()):
        raise CountersignError('"signature" must be printable ASCII, such as base64')
    return {name: found[name] for name in LONGEST}
