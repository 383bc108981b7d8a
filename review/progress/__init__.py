"""How the review of a project goes, for those who run it: reads only, a few queries whatever the size."""
