"""What is wrong with an evidence package."""


class PackageError(ValueError):
    """The package lacks something or holds something else; the message says what."""
