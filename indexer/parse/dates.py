"""Days as people write them → `YYYY-MM-DD`. Called by `frontmatter`, `privacy` and `indexer.analysis.values`; pure.

Only what everybody reads as the same day is read: `03/04/2024` is none. Nothing is converted between time zones.
"""

import re
from datetime import date

_ISO = re.compile(r"(\d{4})(?P<mark>[-/.])(\d{1,2})(?P=mark)(\d{1,2})(?:[Tt ].*|[Zz]|[+-]\d\d:?\d\d)?$")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_TIME = r"(?:,?[t ][\d:.,+zapmutcg -]*)?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? )?"
_SPELLED = (
    re.compile(rf"{_WEEKDAY}{_MONTH} {_DAY},? (?P<year>\d{{4}}){_TIME}"),
    re.compile(rf"{_WEEKDAY}{_DAY} {_MONTH},? (?P<year>\d{{4}}){_TIME}"),
    re.compile(r"(?P<year>\d{4})年(?P<month>\d{1,2})月(?P<day>\d{1,2})日"),
)
_VAGUE = re.compile(r"(?:\d{4}(?:[-/.]\d{1,2})?|\d{8}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})" + _TIME)


def to_date(text: str) -> str | None:
    """Return `YYYY-MM-DD` of a date, or date and time, that begins with the year; None when it is no date."""
    match = _ISO.match(text)
    return _make(match[1], match[3], match[4]) if match else None


def read_day(text: str) -> str | None:
    """Return the same of a date in any spelling that can mean one day only: also `March 10th, 2024` and `10 Mar 2024`."""
    if found := to_date(text):
        return found
    for pattern in _SPELLED:
        if match := pattern.fullmatch(text.lower()):
            month = match["month"]
            return _make(match["year"], month if month.isdigit() else str(_MONTHS.index(month) + 1), match["day"])
    return None


def says_when(text: str) -> bool:
    """Whether a text is a date of some kind, be it one that cannot be read as a day: a year, a month, `03/04/2024`."""
    return read_day(text) is not None or _VAGUE.fullmatch(text.lower()) is not None


def _make(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
