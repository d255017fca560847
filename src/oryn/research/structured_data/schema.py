"""A JSON Schema as the fields to look for on a page, with the words that pages use for them.

https://json-schema.org/draft/2020-12; the synonyms are names of properties of https://schema.org and usual labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from oryn.core.records import Record
from oryn.core.text_safety import shortened
from oryn.errors import SchemaInvalid

MAX_FIELDS = 500
"""The maximum number of fields of a schema."""
MAX_DEPTH = 8
"""The maximum nesting of a schema; a recursive one ends here."""

FieldType = Literal["string", "number", "integer", "boolean", "object", "array"]
Words = tuple[str, ...]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

_SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("name", "title", "headline", "product name", "full name", "model name"),
    ("price", "our price", "current price", "sale price", "unit price", "low price", "cost", "price amount"),
    ("currency", "price currency", "currency code"),
    ("brand", "manufacturer", "maker", "brand name"),
    ("sku", "item number", "article number", "product code", "item no", "article no", "item code", "product id"),
    ("availability", "stock", "in stock", "available", "stock status", "availability status"),
    ("description", "summary", "abstract", "product description"),
    ("image", "picture", "photo", "image url", "thumbnail", "thumbnail url", "cover"),
    ("rating", "rating value", "average rating", "stars", "score", "customer rating"),
    ("review count", "reviews", "number of reviews", "rating count", "ratings", "reviews count", "votes"),
    ("author", "authors", "written by", "byline", "by", "creator", "posted by", "author name"),
    ("date", "date published", "published", "published on", "publication date", "posted", "posted on", "published at"),
    ("modified", "date modified", "updated", "last updated", "updated at", "last modified"),
    ("url", "link", "href", "web address", "detail url"),
    ("phone", "telephone", "tel", "phone number"),
    ("email", "e mail", "email address", "mail"),
    ("street", "street address", "address line"),
    ("city", "locality", "address locality", "town"),
    ("postal code", "zip", "zip code", "postcode", "zipcode"),
    ("country", "address country"),
    ("region", "address region", "state", "province"),
    ("location", "job location", "place", "venue", "where", "office"),
    ("company", "hiring organization", "employer", "organization", "company name", "organisation"),
    ("start date", "start", "starts", "begins", "start time", "when", "event date"),
    ("end date", "end", "ends", "end time"),
    ("ingredients", "recipe ingredient", "ingredient"),
    ("instructions", "recipe instructions", "steps", "method", "directions", "preparation"),
    ("prep time", "preparation time"),
    ("cook time", "cooking time"),
    ("servings", "yield", "recipe yield", "serves", "portions"),
    ("pages", "number of pages", "page count", "print length"),
    ("language", "in language"),
    ("salary", "base salary", "pay", "compensation", "wage"),
    ("employment type", "job type", "contract", "contract type"),
    ("valid through", "deadline", "apply by", "closing date", "application deadline"),
    ("latitude", "lat"),
    ("longitude", "lng", "lon"),
    ("category", "categories", "section", "article section", "genre"),
    ("tags", "keywords", "tag"),
    ("population", "inhabitants", "residents"),
    ("comment count", "comments", "replies", "reply count"),
)
_UNITS = frozenset(
    "m km cm mm ft mi kg g lb lbs oz l ml eur usd gbp euros dollars hours minutes seconds days weeks months years h min"
    " s kmh mph percent pct c f w kw v mah gb mb tb inch inches".split()
)
_GENERIC = frozenset(
    "product item article book job event recipe movie film hotel company property listing page the of a an our your"
    " total current overall full official main value text is number no".split()
)
"""Words that narrow nothing down: `product name` is `name`, `total length` is `length`."""
_INCOMPLETE = frozenset("count number date time type code id amount status level rate size".split())
"""Words that mean nothing without the one before them."""


def words_of(text: str) -> Words:
    """The words of a name or label, in lower case: `releaseDate`, `release-date` and `Release date:` are the same."""
    return tuple(word.casefold() for word in _WORD.findall(text))


def singular(words: Words) -> Words:
    """The words without the plural's `s`."""
    return tuple(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words
    )


class SchemaField(Record):
    """A field to look for. `name` is its key; `phrases` are the labels that pages may have for it, its own first;
    `properties` those of an object, `item` the items of an array, `schema` its JSON Schema."""

    name: str
    type: FieldType
    phrases: tuple[Words, ...]
    schema: Mapping[str, Any]
    properties: tuple[SchemaField, ...] = ()
    item: SchemaField | None = None

    @property
    def concept(self) -> str:
        """The first name of the group of synonyms that the field belongs to; its own words if there is none."""
        return _concept(self.phrases[0]) if self.phrases else ""

    @property
    def is_record(self) -> bool:
        """Whether it is an object with properties."""
        return self.type == "object" and bool(self.properties)

    def match(self, label: Words) -> float:
        """How well a label names the field: 1 if it is its name, 0 if it is something else."""
        if not _vocabulary(self.phrases).intersection(singular(label)):
            return 0.0
        return max(
            (_match(phrase, label) - (0.02 if place else 0) for place, phrase in enumerate(self.phrases)), default=0
        )


def read_schema(schema: Any) -> SchemaField:
    """The fields of a JSON Schema for an object or an array. Raises `SchemaInvalid`."""
    if not isinstance(schema, dict):
        raise SchemaInvalid("the schema is not a JSON object")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise SchemaInvalid(f"not a JSON Schema: {shortened(error.message, 200)}") from None
    except RecursionError:
        raise SchemaInvalid("the schema is nested too deeply") from None
    root = _Reader(schema).field("", schema, 0)
    if root.type == "array" and root.item is not None and root.item.is_record:
        return root
    if not root.is_record:
        raise SchemaInvalid("the schema names no properties to look for")
    return root


class _Reader:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._count = 0

    def field(self, name: str, schema: Any, depth: int) -> SchemaField:
        self._count += 1
        if self._count > MAX_FIELDS:
            raise SchemaInvalid(f"the schema has more than {MAX_FIELDS} fields")
        schema = self._resolve(schema)
        type_ = _type_of(schema)
        properties: tuple[SchemaField, ...] = ()
        item = None
        if depth < MAX_DEPTH:
            if type_ == "object":
                found = schema.get("properties", {})
                properties = tuple(self.field(key, value, depth + 1) for key, value in found.items())
            elif type_ == "array":
                item = self.field(name, schema.get("items", {}), depth + 1)
        return SchemaField(name, type_, _phrases(name, schema), schema, properties, item)

    def _resolve(self, schema: Any) -> Mapping[str, Any]:
        for _ in range(MAX_DEPTH):
            if not isinstance(schema, Mapping):
                return {}
            if isinstance(reference := schema.get("$ref"), str):
                schema = {**self._referenced(reference), **{key: schema[key] for key in schema if key != "$ref"}}
                continue
            options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
            real = [each for each in options or () if not (isinstance(each, Mapping) and each.get("type") == "null")]
            if real and "type" not in schema and "properties" not in schema:
                rest = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "allOf")}
                schema = {**(real[0] if isinstance(real[0], Mapping) else {}), **rest}
                continue
            return schema
        return {}

    def _referenced(self, reference: str) -> Mapping[str, Any]:
        if not reference.startswith("#"):
            raise SchemaInvalid(f"the schema refers to another one: {shortened(reference, 100)}", "Put it below $defs.")
        found: Any = self._root
        for part in filter(None, reference[1:].split("/")):
            part = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or part not in found:
                raise SchemaInvalid(f"the schema has no {shortened(reference, 100)}")
            found = found[part]
        return found if isinstance(found, Mapping) else {}


def _type_of(schema: Mapping[str, Any]) -> FieldType:
    declared = schema.get("type")
    types = [declared] if isinstance(declared, str) else [each for each in declared or () if each != "null"]
    if types:
        return types[0] if types[0] != "null" else "string"  # type: ignore[return-value]  # the schema was checked
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _phrases(name: str, schema: Mapping[str, Any]) -> tuple[Words, ...]:
    own = [words_of(name)]
    for text in (schema.get("title"), schema.get("description")):
        if isinstance(text, str) and 0 < len(words := words_of(text)) <= 4:
            own.append(words)
    reduced = [words for phrase in own for words in (_reduced(phrase),) if words]
    synonyms = [words_of(each) for phrase in (*own, *reduced) for each in _group(phrase)]
    return tuple(phrase for phrase in dict.fromkeys([*own, *reduced, *synonyms]) if phrase)


def _reduced(phrase: Words) -> Words:
    """The phrase without a unit at its end and generic words at its beginning: `product_weight_kg` is `weight`."""
    words = list(phrase)
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    if len(words) > 2 and words[-1] == "in":
        words.pop()
    while len(words) > 1 and words[0] in _GENERIC and not (len(words) == 2 and words[1] in _INCOMPLETE):
        words.pop(0)
    return tuple(words)


@lru_cache(maxsize=2000)
def _vocabulary(phrases: tuple[Words, ...]) -> frozenset[str]:
    return frozenset(word for phrase in phrases for word in (*phrase, *singular(phrase)))


def _group(phrase: Words) -> tuple[str, ...]:
    text = " ".join(phrase)
    return next((group for group in _SYNONYMS if text in group), ())


def _concept(phrase: Words) -> str:
    reduced = _reduced(phrase)
    group = _group(phrase) or _group(reduced)
    return group[0] if group else " ".join(reduced)


def _match(phrase: Words, label: Words) -> float:
    if phrase == label:
        return 1.0
    if not phrase or not label or len(label) > len(phrase) + 2:
        return 0.0
    one, other = singular(phrase), singular(label)
    if one == other:
        return 0.97
    extra = [word for word in other if word not in one]
    if len(extra) == len(other) - len(one) and all(word in other for word in one):
        return 0.85 if all(word in _GENERIC or word in _UNITS for word in extra) else 0.0
    return 0.0


def label_words(text: str) -> Words:
    """The words of a label as a page has it, without what stands in parentheses."""
    return words_of(_PARENTHESES.sub(" ", text)) or words_of(text)
