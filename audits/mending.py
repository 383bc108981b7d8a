"""What a person does about a judge that has stopped, by the fault."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audits.judges.base import Fault

MEND: dict[str, Promise] = {
    Fault.AUTH: _("The vendor refused the key. Correct the key of this judge, then try again."),
    Fault.QUOTA: _("The account has no credit left. Top it up at the vendor, then try again."),
    Fault.NOT_FOUND: _(
        "The vendor does not know this model or address. The panel of an audit is frozen: "
        "cancel this audit, correct the judge and start a new one."
    ),
    Fault.CONFIG: _("The judge cannot be called as it is set up. Correct its key or address, then try again."),
    Fault.RATE_LIMIT: _(
        "The vendor allows no more calls for now. Lower this judge's calls per minute or raise the limit at the "
        "vendor if this happens often; else wait, or try again later."
    ),
    Fault.OVERLOADED: _("The vendor is overloaded. Look at its status page, or try again later."),
    Fault.SERVER: _("The vendor fails on every call. Look at its status page, or try again later."),
    Fault.NETWORK: _("The vendor cannot be reached. Check the network and the judge's address, then try again."),
    Fault.TIMEOUT: _(
        "No answer came in time. Look at the vendor's status page; if the model is merely slow, your operator can "
        "raise ASSAY_CALL_TIMEOUT. Then try again."
    ),
    Fault.BAD_BODY: _(
        "What comes back is no answer of this vendor: a proxy or gateway may stand between. "
        "Check the judge's address, then try again."
    ),
}
"""A remedy for every fault that can stop a judge."""
