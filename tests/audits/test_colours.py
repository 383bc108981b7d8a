"""The colours can be read, in both themes, also without telling red from green."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from audits.templatetags.labelling import KEYS

STATIC = Path(settings.BASE_DIR) / "static"


def themes() -> dict[str, dict[str, str]]:
    """Name of the block -> token -> hexadecimal colour."""
    css = (STATIC / "css/tokens.css").read_text(encoding="utf-8")
    blocks = re.findall(r"(:root[^{]*){([^}]*)}", css)
    return {selector.strip(): dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6});", body)) for selector, body in blocks}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, two: str) -> float:
    """Contrast ratio, WCAG 2.2: (L1 + 0.05) / (L2 + 0.05)."""
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


TEXT_PAIRS = [
    *[(ink, ground) for ink in ("ink", "muted", "accent") for ground in ("paper", "sheet", "accent-bg")],
    *[(label, ground) for label in KEYS for ground in ("paper", "sheet", f"{label}-bg")],
    *[(f"on-{label}", f"{label}-fill") for label in KEYS],
    *[("ink", f"{label}-bg") for label in KEYS],
    ("on-ink", "ink"),
    ("ink", "mark"),
]


@pytest.mark.parametrize("theme", [":root", ':root[data-theme="dark"]'])
def test_every_text_has_enough_contrast(theme):
    tokens = themes()[theme]
    poor = {pair: contrast(tokens[pair[0]], tokens[pair[1]]) for pair in TEXT_PAIRS}
    assert {pair: round(ratio, 2) for pair, ratio in poor.items() if ratio < 4.5} == {}
    for line in ("focus", "rule-strong"):  # outlines of fields and of the focus: 3:1 (WCAG 1.4.11)
        assert contrast(tokens[line], tokens["sheet"]) >= 3
        assert contrast(tokens[line], tokens["paper"]) >= 3


def test_both_dark_sets_are_the_same():
    found = themes()
    assert found[':root[data-theme="dark"]'] == found[':root:not([data-theme="light"])']
    assert set(found[":root"]) == set(found[':root[data-theme="dark"]'])


def deuteranope(colour: str) -> tuple[float, float, float]:
    """CIELAB of a colour as a deuteranope sees it (matrix of Machado, Oliveira, Fernandes 2009, severity 1)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    ]
    machado = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
    r, g, b = (sum(m * c for m, c in zip(row, linear, strict=True)) for row in machado)
    xyz = (
        0.4124 * r + 0.3576 * g + 0.1805 * b,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        0.0193 * r + 0.1192 * g + 0.9505 * b,
    )
    x, y, z = (
        (v / w) ** (1 / 3) if v / w > 0.008856 else 7.787 * v / w + 16 / 116
        for v, w in zip(xyz, (0.9505, 1, 1.089), strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("theme", [":root", ':root[data-theme="dark"]'])
def test_the_three_labels_differ_for_a_deuteranope(theme):
    """A CIE76 difference of 2.3 is just noticeable; side by side in a bar we ask for 15."""
    tokens = themes()[theme]
    seen = {label: deuteranope(tokens[f"{label}-fill"]) for label in ("supported", "contradicted", "unverified")}
    for one, two in (("supported", "contradicted"), ("supported", "unverified"), ("contradicted", "unverified")):
        difference = sum((a - b) ** 2 for a, b in zip(seen[one], seen[two], strict=True)) ** 0.5
        assert difference > 15, (one, two, difference)
