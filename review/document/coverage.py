"""Which characters the certificate's font can draw: PDF/A forbids any other, and a name may hold all there are."""

import struct
from functools import cache
from pathlib import Path

FONT = Path(__file__).parent / "fonts" / "NotoSansSC-Regular-GBK.otf"
STAND_IN = "□"  # printed for a character that the font lacks
_UNICODE = {(0, 4), (3, 10), (0, 3), (3, 1)}  # platform and encoding of tables by code point


def drawable(text: str) -> str:
    """The text with a box for every character that the font lacks."""
    known = characters()
    return "".join(c if ord(c) in known else STAND_IN for c in text)


@cache
def characters() -> frozenset[int]:
    """Code points with a glyph, from the font's cmap (OpenType 1.9, formats 4 and 12)."""
    data = FONT.read_bytes()
    (tables,) = struct.unpack_from(">H", data, 4)
    places = {data[at : at + 4]: struct.unpack_from(">I", data, at + 8)[0] for at in range(12, 12 + tables * 16, 16)}
    start = places[b"cmap"]
    (count,) = struct.unpack_from(">H", data, start + 2)
    found: set[int] = set()
    for number in range(count):
        platform, encoding, offset = struct.unpack_from(">HHI", data, start + 4 + number * 8)
        if (platform, encoding) in _UNICODE:
            found |= _subtable(data, start + offset)
    return frozenset(found)


def _subtable(data: bytes, at: int) -> set[int]:
    (form,) = struct.unpack_from(">H", data, at)
    if form == 12:
        (groups,) = struct.unpack_from(">I", data, at + 12)
        pairs = [struct.unpack_from(">II", data, at + 16 + number * 12) for number in range(groups)]
    elif form == 4:
        (double,) = struct.unpack_from(">H", data, at + 6)
        ends = struct.unpack_from(f">{double // 2}H", data, at + 14)
        starts = struct.unpack_from(f">{double // 2}H", data, at + 16 + double)
        pairs = list(zip(starts, ends, strict=True))
    else:
        return set()
    return {code for first, last in pairs for code in range(first, last + 1) if code != 0xFFFF}
