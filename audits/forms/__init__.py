"""Forms, one file per page family."""
