"""Whether the files of a package are those that the issuer packed. Pure but for reading them."""

import hashlib
from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from review.differences import ABSENT, Difference
from review.package.errors import PackageError
from review.package.parts import Part
from review.package.reading import Package, is_outside
from review.package.sums import SIGNATURE, SUMS, is_signed, read_sums

OWN = (SUMS, SIGNATURE)
WITHOUT = (
    "that the files are as the issuer packed them: an earlier version of the program made this package, without "
    "SHA256SUMS; texts, times and costs, on which no figure rests, may have been changed"
)


def packed(package: Package, keys: Sequence[Ed25519PublicKey], old: bool) -> Part:
    """Sums and signature. keys: that the issuer may have signed with. old: made by a version that signed nothing."""
    if not package.has(SUMS):
        if not old:
            raise PackageError(f"{SUMS}: not in the package")
        return Part(SUMS, missing=WITHOUT)
    data, signature = package.data(SUMS), package.data(SIGNATURE, 1000)
    try:
        sums = read_sums(data)
    except ValueError as error:
        raise PackageError(f"{SUMS}: {error}") from error
    found = (
        [] if is_signed(data, signature, keys) else [Difference(SIGNATURE, "signed", "not by a key that is known")]
    )
    return Part(SUMS, tuple([*found, *_differing(package, sums)]))


def _differing(package: Package, sums: dict[str, str]) -> Iterator[Difference]:
    for name, wanted in sums.items():
        if is_outside(name) or name in OWN:
            raise PackageError(f"{SUMS}: a name that leads elsewhere: {name[:80]!r}")
        again = hashlib.sha256()
        for chunk in package.chunks(name):
            again.update(chunk)
        if again.hexdigest() != wanted:
            yield Difference(name, wanted, again.hexdigest())
    for name in package.names() or ():
        if name not in sums and name not in OWN:
            yield Difference(name, ABSENT, "a file that was not packed")
