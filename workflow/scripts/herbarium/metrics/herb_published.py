"""What HERB's published tables imply (Li et al. 2022). `published` is the table of resources/published/herb.csv."""

from collections.abc import Mapping

import pandas as pd

COLUMNS = ["model", "header", "continent", "n", "published", "implied", "table2_low", "table2_high", "within"]
# Table 2 is a mean distance too, but of other clusters (a continent with its countries and cities in one, not its
# countries alone): it gives the order of magnitude of the distances of a model, so agreement is asked up to a factor.
FACTOR = 2


def implied_mean_distance(published: pd.DataFrame, n_countries: Mapping[str, int]) -> pd.DataFrame:
    """The mean distance of countries that Table 1 implies, model by model and continent by continent.

    Eq. 8 defines C_w of a continent of n countries as 2/(n(n-1)) x sum over their pairs of w ||V_1 - V_2||. The weights
    of Eq. 9 sum to one over the pairs, so the sum is a mean distance, and C_w x n(n-1)/2 gives it back. Two continents
    whose countries lie equally far apart have C_w in the ratio of 1/(n(n-1)), by Eq. 8 alone.

    n_countries: continent -> number of its countries, n. Gives one row a model, header and continent, with `header` the
    reading of Table 1's columns (printed or corrected), `published` C_w as printed, in 1e-3, and `implied` the mean
    distance, without unit, like `table2_low` and `table2_high`, the least and greatest sparseness (Eq. 3) that Table 2
    gives for the model, whatever its header. `within`: low / FACTOR <= implied <= FACTOR x high.
    """
    C_w = published[(published["table"] == 1) & (published["variant"] == "C_w") & (published["column"] != "overall")]
    C_w = C_w.rename(columns={"row": "model", "value": "published"})
    implied = pd.concat(
        [
            C_w.assign(header=header, continent=C_w[column])
            for header, column in (("printed", "column"), ("corrected", "column_corrected"))
        ],
        ignore_index=True,
    )
    implied["n"] = [n_countries[continent] for continent in implied["continent"]]
    implied["implied"] = implied["published"] * 1e-3 * implied["n"] * (implied["n"] - 1) / 2
    sparseness = published[published["table"] == 2].groupby("row")["value"]
    implied["table2_low"] = implied["model"].map(sparseness.min())
    implied["table2_high"] = implied["model"].map(sparseness.max())
    implied["within"] = implied["implied"].between(implied["table2_low"] / FACTOR, implied["table2_high"] * FACTOR)
    return implied[COLUMNS]
