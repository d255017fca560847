"""Engines of Playwright that have no DevTools protocol, Firefox and WebKit: the pages of embedded mode, whose commands
Playwright does, and what else its interface has for every engine."""
