"""Providers of browsers: this computer, DevTools addresses, Selenium Grid, Playwright servers (docs/providers.md)."""

from oryn.providers.pool import ProviderPool

__all__ = ["ProviderPool"]
