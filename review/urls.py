"""Addresses of the human half, one list per page family."""

from django.urls import URLPattern, path

from review.views import (
    agreement,
    certificates,
    compare,
    contexts,
    desk,
    export,
    guidelines,
    items,
    labels,
    mine,
    reports,
    verify,
)

PROJECT = "projects/<slug:slug>"
AUDIT = f"{PROJECT}/audits/<int:pk>"

desk_pages = [
    path("review/", desk.desk, name="review_desk"),
    path("review/", desk.desk, name="review"),  # the name in the header
    path("review/take/", desk.take_claim, name="review_take"),
    path("review/pace/", desk.pace, name="review_pace"),
    path(f"{PROJECT}/review/", desk.project_review, name="project_review"),
]

label_pages = [
    path("review/claims/<uuid:code>/label/", labels.label, name="review_label"),
    path("review/claims/<uuid:code>/skip/", labels.skip_claim, name="review_skip"),
    path("review/claims/<uuid:code>/renew/", labels.renew_lease, name="review_renew"),
    path("review/claims/<uuid:code>/release/", labels.release_lease, name="review_release"),
    path("review/claims/<uuid:code>/contexts/<int:number>/", contexts.whole_context, name="review_context"),
    path("review/labels/<int:pk>/", labels.saved, name="review_saved"),
    path("review/labels/<int:pk>/undo/", labels.undo_label, name="review_undo"),
]

word_pages = [
    path(f"{PROJECT}/review/guidelines/", guidelines.guidelines, name="guidelines"),
    path(f"{PROJECT}/review/guidelines/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path(f"{PROJECT}/review/items/<int:pk>/", items.review_item, name="review_item"),
    path(f"{PROJECT}/review/items/<int:pk>/comments/", items.review_comment, name="review_comment"),
    path("review/mine/", mine.review_mine, name="review_mine"),
]

compare_pages = [
    path(f"{AUDIT}/compare/", compare.audit_compare, name="audit_compare"),
    path(f"{AUDIT}/compare.csv", compare.audit_compare_csv, name="audit_compare_csv"),
]

report_pages = [
    path(f"{PROJECT}/review/reports/", reports.review_reports, name="review_reports"),
    path(f"{AUDIT}/labels.<str:fmt>", export.review_labels_export, name="review_labels_export"),
]

certificate_pages = [
    path(f"{AUDIT}/agreement/", agreement.agreement, name="agreement"),
    path(f"{AUDIT}/certificate/", certificates.certificate, name="certificate"),
    path(f"{AUDIT}/certificate/issue/", certificates.issue_certificate, name="certificate_issue"),
    path(f"{PROJECT}/certificates/", certificates.certificates, name="certificates"),
    path(f"{PROJECT}/certificates/<int:pk>/revoke/", certificates.revoke_certificate, name="certificate_revoke"),
]

verify_pages = [
    path("verify/", verify.verify, name="verify"),
    path("verify/file/", verify.verify_upload, name="verify_file"),
    path("verify/key/", verify.verify_key, name="verify_key"),
    path("verify/<str:number>/", verify.verify_number, name="verify_number"),
    path("verify/<str:number>/certificate.json", verify.certificate_json, name="certificate_json"),
    path("verify/<str:number>/<str:language>.pdf", verify.certificate_pdf, name="certificate_pdf"),
]

urlpatterns: list[URLPattern] = [
    *desk_pages,
    *label_pages,
    *word_pages,
    *compare_pages,
    *report_pages,
    *certificate_pages,
    *verify_pages,
]
