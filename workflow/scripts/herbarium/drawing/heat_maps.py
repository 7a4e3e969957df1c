"""What heat maps share: panels as high as their rows require, and cells with the names of rows and columns."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from herbarium.drawing import style

# The colours cover this percentage of the values.
COVERED = 99
_ROW = 0.115  # inches


def panels(n_rows: Sequence[int], columns: int, width: float, around: float, rest: float) -> tuple[Figure, list]:
    """A figure with a panel for each number of rows, in this many columns of panels, line by line.

    In inches: width: of the figure; around: height of all that surrounds the rows of a panel; rest: height of all that
    surrounds the panels.
    """
    lines = [n_rows[start : start + columns] for start in range(0, len(n_rows), columns)]
    heights = [around + _ROW * max(line) for line in lines]
    figure = Figure(figsize=(width, rest + sum(heights)))
    axes = figure.subplots(len(lines), columns, squeeze=False, height_ratios=heights).ravel()
    for panel in axes[len(n_rows) :]:
        panel.remove()
    return figure, axes[: len(n_rows)].tolist()


def draw(panel, values: np.ndarray, rows: Iterable[str], columns: Iterable[str], norm: Normalize, size: float) -> None:
    """Cells of `values` (n_rows, n_columns), the first row on top, with names in letters of `size` points."""
    look = {"fontsize": size, "parse_math": False}
    panel.pcolormesh(values, cmap=style.DIVERGING, norm=norm, edgecolors="white", linewidth=0.3)
    panel.set_yticks(np.arange(values.shape[0]) + 0.5, rows, **look)
    panel.set_xticks(np.arange(values.shape[1]) + 0.5, columns, rotation=90, **look)
    panel.invert_yaxis()
    panel.spines[:].set_visible(False)
    panel.tick_params(length=0)
