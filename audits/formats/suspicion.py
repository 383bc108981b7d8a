"""Text that was wrongly decoded before it reached us: said, never repaired.

Each such text betrays itself when it is turned back into bytes: read rightly, they make everyday text, while the text
as it stands is made of characters that no language puts side by side.
"""

import codecs
import re

from audits.formats.decoding import broken_bytes
from audits.formats.guessing import CANDIDATES, EVERY, likelihood, text_in

_MARKS = re.compile("[\ufffd\x80-\x84\x86-\x9f]|锟斤拷|烫烫烫|屯屯屯|ï¿½")
_WINDOWS = {bytes([byte]).decode("windows-1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_BYTE = _WINDOWS | {chr(byte): byte for byte in range(0x80, 0xA0)}  # latin-1 has control characters there
_AFTER = "".join(re.escape(char) for char, byte in _BYTE.items() if byte < 0xC0)  # what follows in UTF-8
_UTF8 = re.compile(
    f"[\xc2-\xc3][{_AFTER}]|(?:[\xd0\xd1][{_AFTER}]){{2,}}|[\xe0-\xef][{_AFTER}]{{2}}|[\xf0-\xf4][{_AFTER}]{{3}}"
)
_QUOTES = frozenset("’‘“”–—…•™«»‹›„‚")  # what follows a letter in ordinary text, without a space
_SIGNS = _QUOTES | frozenset("®©·¡¿ªº°´¹²³\xa0")
_NARROW = re.compile("[\x20-\x7e" + "".join(re.escape(char) for char in _BYTE) + "]{4,}")
_EASTERN = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\ue000-\uf8ff€]{3,}")
_EURO = {ord("€"): "\x1a"}  # what Chinese Windows shows for a single byte 0x80
_CLEAR, _CLEARER = 15.0, 5.0  # between logarithms of likelihoods
_MOST = 1000  # code points that are looked at


def looks_wrongly_decoded(text: str) -> bool:
    """Whether text holds replacement characters, or was read in another encoding than it was written in.

    Found are UTF-8 read as windows-1252 or latin-1 ("é€€è´§" for 退货), the old encodings of Asia read so ("ÍË»õ"),
    and UTF-8 read as one of these ("鍥炵瓟" for 回答).
    """
    if text.isascii():
        return False
    text = text[:_MOST]
    return bool(_MARKS.search(text)) or _utf8_as_western(text) or _eastern_as_western(text) or _utf8_as_eastern(text)


def _utf8_as_western(text: str) -> bool:
    return any(_is_strange(piece) and _is_utf8(piece) for piece in _UTF8.findall(text))


def _is_strange(piece: str) -> bool:
    usual = _QUOTES if len(piece) == 2 else _SIGNS
    return not usual.issuperset(piece[1:]) and piece != "Ã\xa0"


def _is_utf8(piece: str) -> bool:
    try:
        return bytes(_BYTE[char] for char in piece).decode() > "\x7f"
    except UnicodeDecodeError:
        return False


def _eastern_as_western(text: str) -> bool:
    return any(_is_eastern(run) for run in _NARROW.findall(text) if len({char for char in run if char > "\x7f"}) >= 4)


def _is_eastern(run: str) -> bool:
    content = bytes(_BYTE[char] if char > "\x7f" else ord(char) for char in run)
    needed = likelihood(run, ("western",)) + _CLEAR
    others = {name: languages for name, languages in CANDIDATES.items() if name != "windows-1252"}
    texts = {name: text_in(content, name) for name in others}
    return any(likelihood(texts[name], others[name]) > needed for name in others if broken_bytes(texts[name]) < 2)


def _utf8_as_eastern(text: str) -> bool:
    runs = _EASTERN.findall(text)
    return any(_was_utf8(run, name) for run in runs for name in ("gb18030", "cp950", "cp932", "cp949"))


def _was_utf8(run: str, name: str) -> bool:
    """Whether the bytes of a run are UTF-8, but for what was lost where two characters shared a byte."""
    content = run.translate(_EURO).encode(name, "replace").replace(b"\x1a", b"\x80")
    if content.count(b"?") > len(run) // 4:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    again = decoder.decode(content)
    whole = sum(len(char.encode()) for char in again if char >= "\u0800")
    cut = len(decoder.getstate()[0])
    if not whole or whole + cut < 0.7 * max(len(content), 7):
        return False
    return likelihood(again, EVERY) * len(content) / whole > likelihood(run, EVERY) + _CLEARER
