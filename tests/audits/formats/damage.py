"""Small damages to a file, as transfers, editors and attackers do them."""

from random import Random

PLANTED = (b'"', b"\x00", b"\n", b",", b"\xff", b"[", b"{", b"\\u", b"\xef\xbb\xbf", b"'", b"\xe2\x80\xae", b"=cmd|")


def spoil(content: bytes, source: Random) -> bytes:
    """One to six small damages: bytes changed, cut out, doubled, planted; the end lost."""
    spoilt = bytearray(content)
    for _ in range(source.randint(1, 6)):
        at = source.randrange(len(spoilt) + 1)
        length = source.choice((1, 1, 2, 5, 40))
        match source.randrange(5):
            case 0:
                spoilt[at : at + length] = source.randbytes(length)
            case 1:
                del spoilt[at : at + length]
            case 2:
                spoilt[at:at] = spoilt[at : at + length]
            case 3:
                spoilt[at:at] = source.choice(PLANTED)
            case 4:
                del spoilt[max(at, len(spoilt) // 2) :]
    return bytes(spoilt)
