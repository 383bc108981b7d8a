"""Addresses of the judging half, one list per page family."""

from django.urls import URLPattern, URLResolver, include, path

from audits.views import (
    compare,
    costs,
    dataset_files,
    datasets,
    judges,
    mapping,
    members,
    origin,
    projects,
    uploads,
)

PROJECT = "projects/<slug:slug>"

project_pages = [
    path("", projects.home, name="home"),
    path("projects/", projects.projects, name="projects"),
    path("projects/new/", projects.project_new, name="project_new"),
    path(f"{PROJECT}/", projects.project, name="project"),
    path(f"{PROJECT}/costs/", costs.project_costs, name="project_costs"),
]

member_pages = [
    path(f"{PROJECT}/members/", members.members, name="members"),
    path(f"{PROJECT}/members/add/", members.member_add, name="member_add"),
    path(f"{PROJECT}/members/<int:pk>/remove/", members.member_remove, name="member_remove"),
]

dataset_pages = [
    path(f"{PROJECT}/datasets/new/", uploads.dataset_new, name="dataset_new"),
    path(f"{PROJECT}/datasets/paste/", uploads.dataset_paste, name="dataset_paste"),
    path(f"{PROJECT}/datasets/sample/", uploads.dataset_sample, name="dataset_sample"),
    path(f"{PROJECT}/datasets/<int:pk>/mapping/", mapping.dataset_mapping, name="dataset_mapping"),
    path(f"{PROJECT}/datasets/<int:pk>/reading/", mapping.dataset_reading, name="dataset_reading"),
    path(f"{PROJECT}/datasets/<int:pk>/", datasets.dataset, name="dataset"),
    path(f"{PROJECT}/datasets/<int:pk>/origin/", origin.dataset_origin, name="dataset_origin"),
    path(f"{PROJECT}/datasets/<int:pk>/stop/", datasets.dataset_stop, name="dataset_stop"),
    path(f"{PROJECT}/datasets/<int:pk>/resume/", datasets.dataset_resume, name="dataset_resume"),
    path(f"{PROJECT}/datasets/<int:pk>/discard/", datasets.dataset_discard, name="dataset_discard"),
    path(f"{PROJECT}/datasets/<int:pk>/compare/", compare.dataset_compare, name="dataset_compare"),
    path(f"{PROJECT}/datasets/<int:pk>/mend/", uploads.dataset_mend, name="dataset_mend"),
    path(f"{PROJECT}/datasets/<int:pk>/delete/", datasets.dataset_delete, name="dataset_delete"),
    path(f"{PROJECT}/datasets/<int:pk>/errors.csv", dataset_files.dataset_errors_csv, name="dataset_errors_csv"),
    path(f"{PROJECT}/datasets/<int:pk>/original/", dataset_files.dataset_original, name="dataset_original"),
]

judge_pages = [
    path(f"{PROJECT}/judges/", judges.judges, name="judges"),
    path(f"{PROJECT}/judges/new/", judges.judge_new, name="judge_new"),
    path(f"{PROJECT}/judges/<int:pk>/", judges.judge_edit, name="judge_edit"),
    path(f"{PROJECT}/judges/<int:pk>/switch/", judges.judge_switch, name="judge_switch"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    *project_pages,
    *member_pages,
    *dataset_pages,
    *judge_pages,
    path("", include("audits.urls_audits")),
]
