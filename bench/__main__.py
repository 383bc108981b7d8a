"""make bench [NAME=…]: runs one bench, or all; each prints one JSON line."""

import importlib
import sys

BENCHES = ("offline_accuracy", "decomposition", "engine")


def main(names: list[str]) -> int:
    """Run the named benches. Returns the exit status."""
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"There is no bench {unknown[0]!r}. Known are: {', '.join(BENCHES)}.", file=sys.stderr)
        return 2
    for name in names or BENCHES:
        importlib.import_module(f"bench.{name}").main([])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
