"""What a dataset is a sample of."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from audits.access import dataset_for
from audits.dataset_facts import facts_of
from audits.forms.origin import OriginForm
from audits.models import Dataset, Role
from audits.pipeline.describing import describe_dataset


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_origin(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say the period and how the answers were drawn; the times in the file are proposed."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if request.method == "POST":
        form = OriginForm(request.POST)
        if form.is_valid():
            if describe_dataset(dataset, request.user, **form.cleaned_data):
                messages.success(request, _("Saved. Certificates issued from now on print it."))
            else:
                messages.info(request, _("Nothing was changed."))
            return redirect("dataset", slug, pk)
    else:
        form = OriginForm(initial=_first_values(dataset))
    context = {"project": dataset.project, "dataset": dataset, "form": form}
    return render(request, "audits/dataset_origin.html", context, status=422 if form.is_bound else 200)


def _first_values(dataset: Dataset) -> dict[str, object]:
    values: dict[str, object] = {
        "period_from": dataset.period_from,
        "period_to": dataset.period_to,
        "drawn": dataset.drawn,
    }
    if not any(values.values()) and (facts := facts_of(dataset)).first and facts.last:
        values |= {"period_from": facts.first.date(), "period_to": facts.last.date()}
    return values
