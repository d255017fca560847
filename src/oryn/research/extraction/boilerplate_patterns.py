"""Patterns of the lines around articles, in the languages that pages are often in: data for `boilerplate`."""

from __future__ import annotations

import re

# Before a link to another page, with a colon; or alone on a line, above such links.
LABELS = (
    r"(?:also\s+)?(?:read|see|watch|view|listen|learn)\s+(?:more|also|next|now)",
    r"related(?:\s+(?:\w+\s+)?(?:articles?|stor(?:y|ies)|posts?|news|content|links?|coverage|reading|topics?|videos?))?",
    r"recommended(?:\s+(?:for\s+you|reading|articles?|stories|posts?))?",
    r"more(?:\s+(?:from|on|about|in|stories|news|articles|like)\b[^:]{0,40}|\s+[^:]{0,20}\bstories)?",
    r"you\s+(?:may|might)\s+(?:also\s+)?(?:like|enjoy|be\s+interested\s+in)",
    r"don['’]t\s+miss(?:\s+(?:this|out))?",
    r"in\s+case\s+you\s+missed\s+it",
    r"must[-\s]reads?",
    r"(?:trending|most\s+(?:read|popular|viewed))(?:\s+(?:now|stories|articles|news))?",
    r"up\s+next",
    r"read\s+(?:this|the\s+full\s+\w+)(?:\s+\w+)?",
    r"(?:à\s+)?lire\s+(?:aussi|également)|voir\s+aussi|sur\s+le\s+même\s+sujet",
    r"lesen\s+sie\s+auch|mehr\s+(?:zum\s+thema|dazu|lesen)|auch\s+interessant|siehe\s+auch",
    r"le[ae]r?\s+(?:también|además|más)|te\s+puede\s+interesar",
    r"le(?:ia|r)\s+(?:mais|também)|veja\s+(?:mais|também)",
    r"leggi\s+anche|potrebbe\s+interessarti|lees\s+(?:ook|meer)",
    r"läs\s+(?:också|mer|även)|les\s+(?:også|mer)|læs\s+også|lue\s+myös",
    r"czytaj\s+(?:też|także|więcej)|čtěte\s+(?:také|více)|читайте\s+также|по\s+теме",
    r"baca\s+juga|ayrıca\s+okuyun|इसे\s+भी\s+पढ़ें|اقرأ\s+أيض(?:ا|اً|ًا)",
    r"関連記事|あわせて読みたい|相关阅读|延伸阅读|延伸閱讀|관련기사",
)

# "Sign up for the newsletter": one of these, and soon after it one of those.
INVITING = (
    r"sign\s+up",
    r"subscri(?:be|ption)",
    r"join",
    r"follow",
    r"like\s+us",
    r"download",
    r"listen",
    r"register",
    r"get",
    r"receive",
    r"click\s+here",
)
INVITED = (
    r"newsletters?",
    r"inbox",
    r"e-?mail(?:ed|s)?",
    r"updates",
    r"alerts",
    r"facebook|twitter|instagram|youtube|linkedin|telegram|whatsapp",
    r"podcasts?|itunes|spotify",
    r"subscri(?:be|ptions?)",
    r"free\s+trial",
    r"apps?",
    r"more\s+information",
)

# Lines with which what comes after an article begins.
AFTER = (
    r"(?:\d+\s+)?comments?(?:\s*\(\d+\))?\W*$",
    r"leave\s+a\s+(?:comment|reply)\W*$",
    r"join\s+the\s+(?:conversation|discussion)\W*$",
    r"share(?:\s+this(?:\s+\w+)?)?\W*$",
    r"(?:tags?|topics|filed\s+under|categories|posted\s+in)(?:\W*$|\s*:)",
    r"(?:print|advertisement)\W*$",
    r"(?:tell|let)\s+us\s+(?:know\s+)?what\s+you\s+think\W*$",
    r"about\s+the\s+author\W*$",
)

# A line that says when, at the end.
WRITTEN = r"^\W*(?:last\s+)?(?:updated|modified|published|posted)\b.{0,40}\d\W*(?:[ap]\.?m\.?)?\W*(?:\w{2,4})?$"

# A day with its year, in either order; a time; minutes of reading.
DATES = (
    r"\b\d{1,2}\b\D{1,20}\b(?:19|20)\d\d\b",
    r"\b(?:19|20)\d\d\b\W{1,3}\d{1,2}\b",
    r"\b\d{1,2}:\d\d\b",
    r"\b\d+\s*min",
)


def label_pattern() -> re.Pattern[str]:
    """Matches the label of a line; its group `end` is the colon, or empty at the end of the line."""
    return re.compile(rf"^\W*(?:{'|'.join(LABELS)})\s*(?P<end>[:：]|\W*$)", re.IGNORECASE)


def invitation_pattern() -> re.Pattern[str]:
    """Matches anywhere in a line where a sentence begins."""
    begin = r"(?:^|[.!?:…]|\bplease)[^\w.!?]*"
    return re.compile(rf"{begin}\b(?:{'|'.join(INVITING)})\b.{{0,120}}\b(?:{'|'.join(INVITED)})\b", re.IGNORECASE)


def after_pattern() -> re.Pattern[str]:
    """Matches a whole line, or its beginning."""
    return re.compile(rf"^\W*(?:{'|'.join(AFTER)})", re.IGNORECASE)


def written_pattern() -> re.Pattern[str]:
    """Matches a whole line."""
    return re.compile(WRITTEN, re.IGNORECASE)


def date_pattern() -> re.Pattern[str]:
    """Matches anywhere in a line."""
    return re.compile("|".join(DATES), re.IGNORECASE)
