"""Domains of the Chrome DevTools Protocol, over any transport.

https://chromedevtools.github.io/devtools-protocol/tot/
"""
