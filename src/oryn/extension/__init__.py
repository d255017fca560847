"""The engine's side of the browser extension: the Python that runs in its service worker, on Pyodide, and nowhere else.

Standard library and Oryn's pure packages only, and no `import js`: what a browser demands in JavaScript is in
`extension/` beside the package, and everything passes through `bridge.Bridge`. So the tests run on any Python.
"""

from __future__ import annotations
