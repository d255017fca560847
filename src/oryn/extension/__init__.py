"""The engine of the browser extension: Python that runs in its service worker only, on Pyodide.

Standard library and Oryn's pure packages only, and no `import js`: the JavaScript half is in `extension/` beside the
package, and all calls and events pass through `oryn.browsers.extension.bridge.Bridge`. So the tests run on any
Python."""

from __future__ import annotations
