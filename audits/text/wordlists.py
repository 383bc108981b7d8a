"""Word lists that several readers of text share."""


def words(text: str) -> frozenset[str]:
    """A set of words written as one line of text."""
    return frozenset(text.split())


FUNCTION_WORDS = words(
    "a an the this that these those it its they them their he she his her him hers we our us you your i my me "
    "is are was were be been being am has have had having do does did doing will would shall should must can "
    "could may might and or but nor so if then than as of in on at by for to from with without into about "
    "over under between among there here which who whom whose what when where how why also too just only even "
    "still yet such other another each every all both any some more most through during after before while "
    "because although though since until upon within"
)
"""English words that carry no content of their own. Negations are not among them: they carry a claim's sign."""
