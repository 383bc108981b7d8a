"""Projects: who sees which, who may create one, and what the overview says to do next."""

import pytest
from django.urls import reverse

from audits.models import Audit, Dataset, Event, Project
from tests.audits.factory import make_dataset


@pytest.fixture
def administrator(person):
    user = person("root")
    user.is_superuser = user.is_staff = True
    user.save()
    return user


def test_home_leads_to_the_projects(signed_in, analyst):
    response = signed_in(analyst).get("/")
    assert response.status_code == 302
    assert response["Location"] == reverse("projects")


def test_the_list_needs_a_person(client, db):
    response = client.get(reverse("projects"))
    assert response.status_code == 302
    assert reverse("login") in response["Location"]


def test_a_member_sees_own_projects_with_counts_and_open_work(signed_in, analyst, stranger, project):
    make_dataset(project)
    make_dataset(project, status=Dataset.Status.UPLOADED)
    page = signed_in(analyst).get(reverse("projects"))
    assert [(p.name, p.n_datasets, p.n_audits, p.n_unmapped) for p in page.context["projects"]] == [
        ("Loan desk", 2, 0, 1)
    ]
    assert "Elsewhere" not in page.content.decode()


def test_someone_without_a_project_is_told_whom_to_ask(signed_in, person):
    page = signed_in(person("newcomer")).get(reverse("projects")).content.decode()
    assert "Ask an administrator" in page
    assert "newcomer" in page


def test_an_administrator_without_projects_is_told_to_create_one(signed_in, administrator):
    page = signed_in(administrator).get(reverse("projects")).content.decode()
    assert reverse("project_new") in page


def test_an_administrator_creates_a_project(signed_in, administrator):
    data = {"name": "Tax desk", "client": "Office", "system": "TaxBot"}
    response = signed_in(administrator).post(reverse("project_new"), data)
    project = Project.objects.get()
    assert (project.name, project.slug, project.client, project.system) == (
        "Tax desk",
        "tax-desk",
        "Office",
        "TaxBot",
    )
    assert response["Location"] == reverse("members", args=["tax-desk"])
    assert Event.objects.get(kind="project_created").data["name"]


def test_chinese_names_and_twins_get_addresses_of_their_own(administrator):
    made = [Project.objects.start(name=name, user=administrator).slug for name in ("贷款客服", "税务", "New", "new")]
    assert made == ["project", "project-2", "new-2", "new-3"]


@pytest.mark.parametrize("slug", ["new", "loan-desk", "not an address"])
def test_an_address_that_cannot_be_is_refused(signed_in, administrator, project, slug):
    response = signed_in(administrator).post(reverse("project_new"), {"name": "X", "slug": slug})
    assert response.status_code == 422
    assert "slug" in response.context["form"].errors
    assert Project.objects.count() == 1


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_administrators_create_projects(signed_in, manager, method):
    response = getattr(signed_in(manager), method)(reverse("project_new"), {"name": "Mine"})
    assert response.status_code == 403
    assert Project.objects.count() == 1


def test_a_stranger_finds_no_project(signed_in, stranger, project):
    assert signed_in(stranger).get(reverse("project", args=[project.slug])).status_code == 404


def test_nothing_is_changed_by_posting_to_a_page(signed_in, analyst, project):
    for name, args in (("home", []), ("projects", []), ("project", [project.slug])):
        assert signed_in(analyst).post(reverse(name, args=args)).status_code == 405


def step(signed_in, user, project):
    return signed_in(user).get(reverse("project", args=[project.slug])).context["next_step"]


def test_the_first_step_is_the_upload_for_those_who_may(signed_in, analyst, expert, project):
    assert step(signed_in, analyst, project).url == reverse("dataset_new", args=[project.slug])
    assert step(signed_in, expert, project).url == ""


def test_then_the_columns_then_the_audit(signed_in, analyst, project):
    dataset = make_dataset(project, status=Dataset.Status.UPLOADED)
    assert step(signed_in, analyst, project).url == reverse("dataset_mapping", args=[project.slug, dataset.pk])
    Dataset.objects.update(status=Dataset.Status.FAILED)
    assert step(signed_in, analyst, project).url == reverse("dataset", args=[project.slug, dataset.pk])
    Dataset.objects.update(status=Dataset.Status.STOPPED)
    assert "stopped" in step(signed_in, analyst, project).text
    Dataset.objects.update(status=Dataset.Status.READY)
    assert step(signed_in, analyst, project).url.endswith(f"?dataset={dataset.pk}")


def test_then_the_review(signed_in, analyst, expert, project):
    audit = Audit.objects.create(project=project, dataset=make_dataset(project), name="First", seed=1)
    assert "being judged" in step(signed_in, analyst, project).text
    assert step(signed_in, expert, project).url == ""  # an expert sees no verdict
    audit.advance(Audit.Status.JUDGING, Audit.Status.REVIEWING)
    assert "Experts" in step(signed_in, analyst, project).text


def test_hostile_names_stay_text(signed_in, analyst, project):
    make_dataset(project, name="<script>alert(1)</script>")
    page = signed_in(analyst).get(reverse("project", args=[project.slug])).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
