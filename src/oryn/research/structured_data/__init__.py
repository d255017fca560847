"""Data of pages by a JSON Schema, without a model: from JSON-LD, microdata, tables, definition lists, repeated rows."""

from oryn.research.structured_data.extraction import DataRequest, PageData, ValuePlace, extract_data, read_data

__all__ = ["DataRequest", "PageData", "ValuePlace", "extract_data", "read_data"]
