"""Go on with an audit that was interrupted or paused, without a browser."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from audits import headless, pipeline
from audits.management.commands.audit import amount, finish
from audits.models import Audit
from audits.pipeline.budgeting import BudgetError, raise_budget


class Command(BaseCommand):
    """manage.py resume AUDIT"""

    help = "Goes on with an audit; its exit status is that of `audit`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options."""
        parser.add_argument("audit", type=int, help="the number that `audit` printed")
        parser.add_argument("--budget", metavar="USD", help="another budget, when the old one has stopped it")
        parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run and exit with the status."""
        audit = Audit.objects.filter(pk=options["audit"]).first()
        if audit is None:
            self.stderr.write(f"There is no audit {options['audit']}.")
            sys.exit(headless.BAD_INPUT)
        try:
            if options["budget"] is not None:
                raise_budget(audit, None, amount(options["budget"]), headless=True)
        except (headless.Refused, BudgetError) as error:
            self.stderr.write(str(error))
            sys.exit(headless.BAD_INPUT)
        pipeline.resume(audit, None, headless=True)
        finish(self, audit, as_json=options["json"])
