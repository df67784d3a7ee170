"""Currencies: their signs, codes and words."""

import unicodedata
from collections.abc import Sequence

CURRENCIES: Sequence[frozenset[str]] = tuple(
    map(
        frozenset,
        (
            ("$", "US$", "USD", "dollars", "dollar"), ("€", "EUR", "Euro", "euros"),
            ("TEUR", "T€", "T EUR", "T €"), ("£", "GBP"),
            ("¥", "￥", "JPY", "CN¥", "CNY", "RMB", "円", "元"), ("₹", "Rs", "Rs.", "INR"),
            ("CHF", "Fr.", "SFr."), ("R$", "BRL"),
            ("kr", "kr.", "Kr", "Kr.", "SEK", "NOK", "DKK"),
            ("zł", "PLN"), ("Kč", "CZK"), ("Ft", "HUF"),
            ("₽", "руб.", "руб", "RUB"), ("₩", "원", "KRW"), ("₺", "TL", "TRY"), ("₪", "ILS"),
            ("A$", "AUD"), ("C$", "CA$", "CAD"), ("NZ$", "NZD"), ("HK$", "HKD"), ("S$", "SGD"),
            ("MXN", "Mex$", "MX$"), ("฿", "THB"), ("₫", "đ", "VND"), ("₱", "Php", "PHP"),
            ("₿", "BTC"),
            ("Rp", "Rp.", "IDR"), ("RM", "MYR"), ("R", "ZAR"),
            ("KSh", "Ksh", "KSh.", "Ksh.", "KES"), ("S/", "S/.", "PEN"), ("лв", "лв.", "BGN"),
            ("₴", "грн", "грн.", "UAH"), ("lei", "Lei", "RON"), ("₦", "NGN"), ("GH₵", "₵", "GHS"),
            ("NT$", "TWD"), ("৳", "Tk", "BDT"), ("¢", "ct", "cents", "cent"), ("pence",), ("AED",),
            ("ARS",), ("BHD",), ("CLP",), ("COP", "COP $", "COL$"), ("EGP",),
            ("J$", "JMD"), ("Bs", "Bs.", "BOB"), ("₲", "Gs.", "PYG"),
            ("KWD",), ("PKR",), ("QAR",),
            ("SAR",), ("UYU",),
        ),
    )
)  # fmt: skip
"""Signs and codes of currencies, with synonyms grouped; before or after the number."""


def is_currency_sign(unit: str) -> bool:
    """Return whether a unit is a currency sign of Unicode."""
    return len(unit) == 1 and unicodedata.category(unit) == "Sc"


def is_money(units: Sequence[str]) -> bool:
    """Return whether one of the units is a currency."""
    return any(
        is_currency_sign(unit) or any(unit in family for family in CURRENCIES) for unit in units
    )
