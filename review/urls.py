"""Addresses of the human half."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
