"""ONNX Runtime (https://onnxruntime.ai), for every module that needs it, without its telemetry.

The wheel for Linux sends events to its vendor some seconds after a session is created, and keeps an identifier in the
temporary folder. It reads the variable when it is loaded, so no other module of Oryn imports it.
https://github.com/microsoft/onnxruntime/blob/main/docs/Privacy.md"""

from __future__ import annotations

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from onnxruntime import InferenceSession, SessionOptions

__all__ = ["InferenceSession", "SessionOptions"]
