"""Addresses of the human half, one list per page family."""

from django.urls import URLPattern, path

from review.views import (
    agreement,
    bias,
    certificates,
    compare,
    contexts,
    desk,
    desk_settings,
    estimate,
    export,
    guidelines,
    items,
    labels,
    looks,
    manage,
    manage_acts,
    manage_gold,
    mine,
    package,
    reports,
    second_thoughts,
    verify,
)

PROJECT = "projects/<slug:slug>"
AUDIT = f"{PROJECT}/audits/<int:pk>"

desk_pages = [
    path("review/", desk.desk, name="review_desk"),
    path("review/", desk.desk, name="review"),  # the name in the header
    path("review/take/", desk.take_claim, name="review_take"),
    path("review/next/", desk.next_claim, name="review_next"),
    path("review/filter/", desk.desk_filter, name="review_filter"),
    path("review/settings/", desk_settings.desk_settings, name="review_settings"),
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
    path("review/labels/<int:pk>/verdicts/", second_thoughts.verdicts, name="review_reveal"),
    path("review/labels/<int:pk>/keep/", second_thoughts.keep_label, name="review_keep"),
    path("review/labels/<int:pk>/change/", second_thoughts.change_label, name="review_change"),
]

MANAGE = f"{PROJECT}/review/manage"

manage_pages = [
    path(f"{MANAGE}/", manage.review_manage, name="review_manage"),
    path(f"{MANAGE}/people/", manage.review_manage_people, name="review_manage_people"),
    path(f"{MANAGE}/people/<int:pk>/", manage_acts.review_assign, name="review_assign"),
    path(f"{MANAGE}/skips/", manage.review_manage_skips, name="review_manage_skips"),
    path(f"{MANAGE}/cuts/<int:pk>/", manage_acts.review_recut_decide, name="review_recut_decide"),
    path(f"{MANAGE}/known/", manage_gold.review_manage_gold, name="review_manage_gold"),
    path(f"{MANAGE}/known/<int:pk>/remove/", manage_gold.review_gold_remove, name="review_gold_remove"),
    path(f"{MANAGE}/rules/", manage.review_manage_rules, name="review_manage_rules"),
    path(f"{MANAGE}/rules/change/", manage_acts.review_rules_set, name="review_rules_set"),
    path(f"{MANAGE}/claims/<uuid:code>/release/", manage_acts.review_free, name="review_free"),
    path(f"{AUDIT}/known/add/", manage_gold.review_gold_add, name="review_gold_add"),
    path(f"{AUDIT}/second-labels/end/", manage_acts.review_waive, name="review_waive"),
]

word_pages = [
    path(f"{PROJECT}/review/guidelines/", guidelines.guidelines, name="guidelines"),
    path(f"{PROJECT}/review/guidelines/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path(f"{PROJECT}/review/items/<int:pk>/", items.review_item, name="review_item"),
    path(
        f"{PROJECT}/review/items/<int:pk>/contexts/<int:number>/",
        items.review_item_context,
        name="review_item_context",
    ),
    path(f"{PROJECT}/review/items/<int:pk>/comments/", items.review_comment, name="review_comment"),
    path("review/mine/", mine.review_mine, name="review_mine"),
]

bias_pages = [path(f"{AUDIT}/bias/", bias.bias, name="bias")]

compare_pages = [
    path(f"{AUDIT}/compare/", compare.audit_compare, name="audit_compare"),
    path(f"{AUDIT}/compare.csv", compare.audit_compare_csv, name="audit_compare_csv"),
]

report_pages = [
    path(f"{PROJECT}/review/reports/", reports.review_reports, name="review_reports"),
    path(f"{AUDIT}/labels.<str:fmt>", export.review_labels_export, name="review_labels_export"),
]

look_pages = [
    path(f"{AUDIT}/looks/", looks.review_looks, name="review_looks"),
    path(f"{AUDIT}/looks/extend/", looks.review_look_extend, name="review_look_extend"),
    path(f"{MANAGE}/items/<int:pk>/give-up/", looks.review_give_up, name="review_give_up"),
    path(f"{MANAGE}/items/<int:pk>/take-up/", looks.review_take_up, name="review_take_up"),
]

estimate_pages = [path(f"{AUDIT}/estimate/", estimate.review_estimate, name="review_estimate")]

certificate_pages = [
    path(f"{AUDIT}/agreement/", agreement.agreement, name="agreement"),
    path(f"{AUDIT}/certificate/", certificates.certificate, name="certificate"),
    path(f"{AUDIT}/certificate/issue/", certificates.issue_certificate, name="certificate_issue"),
    path(f"{PROJECT}/certificates/", certificates.certificates, name="certificates"),
    path(f"{PROJECT}/certificates/<int:pk>/revoke/", certificates.revoke_certificate, name="certificate_revoke"),
    path(f"{PROJECT}/certificates/<int:pk>/package.zip", package.evidence_package, name="evidence_package"),
]

verify_pages = [
    path("verify/", verify.verify, name="verify"),
    path("verify/file/", verify.verify_upload, name="verify_file"),
    path("verify/key/", verify.verify_key, name="verify_key"),
    path("verify/verify_certificate.py", verify.verifier, name="verifier"),
    path("verify/<str:number>/", verify.verify_number, name="verify_number"),
    path("verify/<str:number>/certificate.json", verify.certificate_json, name="certificate_json"),
    path("verify/<str:number>/timestamp.tsr", certificates.certificate_timestamp, name="certificate_timestamp"),
    path("verify/<str:number>/<str:language>.pdf", verify.certificate_pdf, name="certificate_pdf"),
]

urlpatterns: list[URLPattern] = [
    *desk_pages,
    *manage_pages,
    *label_pages,
    *word_pages,
    *bias_pages,
    *compare_pages,
    *report_pages,
    *look_pages,
    *estimate_pages,
    *certificate_pages,
    *verify_pages,
]
