"""Batch mode at work: filling batches, handing them over, looking at the vendor, collecting what it answered.

Nothing here waits for a vendor to do its work: one pass moves each batch on as far as it goes now. All that matters
is in the database before and after each step, so that any process goes on where another one was killed.
"""

from audits.batches.tending import tend, wants_tending

__all__ = ["tend", "wants_tending"]
