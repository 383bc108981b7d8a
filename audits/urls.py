"""Addresses of the judging half."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
