"""Addresses of the pages about audits."""

from django.urls import path

from audits.views import audits, batches, calibration, claims, costs, exports, extraction, results, rule, stability

AUDITS = "projects/<slug:slug>/audits"
AUDIT = f"{AUDITS}/<int:pk>"

urlpatterns = [
    path(f"{AUDITS}/new/", audits.audit_new, name="audit_new"),
    path("projects/<slug:slug>/calibrations/", calibration.calibrations, name="calibrations"),
    path(f"{AUDIT}/", results.audit, name="audit"),
    path(f"{AUDIT}/rule/", rule.audit_rule, name="audit_rule"),
    path(f"{AUDIT}/pause/", audits.audit_pause, name="audit_pause"),
    path(f"{AUDIT}/resume/", audits.audit_resume, name="audit_resume"),
    path(f"{AUDIT}/cancel/", audits.audit_cancel, name="audit_cancel"),
    path(f"{AUDIT}/retry/", audits.audit_retry, name="audit_retry"),
    path(f"{AUDIT}/batches/<int:batch_pk>/cancel/", batches.audit_batch_cancel, name="audit_batch_cancel"),
    path(f"{AUDIT}/budget/", costs.audit_budget, name="audit_budget"),
    path(f"{AUDIT}/costs/", costs.audit_costs, name="audit_costs"),
    path(f"{AUDIT}/ledger.csv", costs.audit_ledger, name="audit_ledger"),
    path(f"{AUDIT}/claims/", claims.audit_claims, name="audit_claims"),
    path(f"{AUDIT}/extraction/", extraction.audit_extraction, name="audit_extraction"),
    path(f"{AUDIT}/calibration/", calibration.calibration, name="calibration"),
    path(f"{AUDIT}/stability/", stability.audit_stability, name="audit_stability"),
    path(f"{AUDIT}/samples/<int:sample_pk>/", claims.audit_sample, name="audit_sample"),
    path(f"{AUDIT}/export/<slug:kind>.<slug:fmt>", exports.audit_export, name="audit_export"),
]
