"""My labels: what the person has said so far, where the person is mentioned, and the own pace."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from audits.parts import render_parts
from review.forms.mine import MineFilter
from review.mine import labels_of, mentions_of, pace_of, projects_of

PAGE = 50
MENTIONS = 10


@require_safe
def review_mine(request: HttpRequest) -> HttpResponse:
    """The own labels, the newest first, filtered and in pages."""
    chosen = MineFilter(request.GET, projects_of(request.user))
    page = Paginator(chosen.apply(labels_of(request.user)), PAGE).get_page(request.GET.get("page"))
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "filter": chosen,
        "page": page,
        "query": query.urlencode(),
        "pace": pace_of(request.user),
        "mentions": mentions_of(request.user, MENTIONS),
    }
    response = render_parts(request, "review/mine.html", context, parts={"mine-list"})
    add_never_cache_headers(response)
    return response
