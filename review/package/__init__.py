"""The evidence behind a certificate as a file, and the same numbers made from that file again."""
