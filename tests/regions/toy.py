"""A small hierarchy of regions."""

from collections.abc import Mapping, Sequence

import pandas as pd


def hierarchy(codes: Mapping[str, str], french: Sequence[str]) -> pd.DataFrame:
    """Continents, their countries and French cities. codes: of a continent -> those of its countries, with spaces."""
    rows = [("earth", None, "earth", "the Earth", None)]
    rows += [(f"continent:{code}", "earth", "continent", f"Continent {code}", None) for code in codes]
    rows += [
        (f"country:{iso2}", f"continent:{code}", "country", f"Country {iso2}", iso2)
        for code, countries in codes.items()
        for iso2 in countries.split()
    ]
    rows += [(f"city:{place}", "country:FR", "city", name, None) for place, name in enumerate(french, 1)]
    return pd.DataFrame(rows, columns=["region", "parent", "level", "name", "iso2"])
