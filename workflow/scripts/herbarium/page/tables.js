"use strict";
// Tables with eight or more rows can be sorted, filtered and saved. Without this script, all tables are shown whole.
{
  // The main text of a cell: what comes with it (an interval, a p, a note) has its own name.
  const said = (cell) =>
    [...cell.childNodes]
      .filter((node) => node.nodeName !== "SPAN" && !node.dataset?.of)
      .map((node) => node.textContent)
      .join("")
      .trim();

  const isEmpty = (text) => text === "" || text === "–" || text === "no value";

  // A text that is a number, as a plain number; any other as it is.
  const plain = (text) => (/^[−-]?[\d,]+(\.\d+)?$/.test(text) ? text.replaceAll(",", "").replace("−", "-") : text);

  const own = (cell) => cell.querySelector("data:not([data-of])")?.value ?? (isEmpty(said(cell)) ? "" : plain(said(cell)));

  const numeric = (text) => (text.trim() === "" ? NaN : Number(text));

  // The header cells of each column, from top to bottom.
  const heads = (table) => {
    const columns = [];
    [...table.tHead.rows].forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (columns[x]?.until > y) x++;
        for (let i = 0; i < cell.colSpan; i++, x++) {
          columns[x] = { cells: [...(columns[x]?.cells ?? []), cell], until: y + cell.rowSpan };
        }
      }
    });
    return columns.map((column) => column.cells);
  };

  const compare = (x, rows, direction) => {
    const texts = new Map(rows.map((row) => [row, row.cells[x].dataset.sort ?? own(row.cells[x])]));
    const isNumeric = [...texts.values()].every((text) => isEmpty(text) || !isNaN(numeric(text)));
    return (a, b) => {
      const [one, other] = [texts.get(a), texts.get(b)];
      if (isEmpty(one) || isEmpty(other)) return isEmpty(one) - isEmpty(other);
      return direction * (isNumeric ? numeric(one) - numeric(other) : one.localeCompare(other));
    };
  };

  // Everything in a cell, by name: "" is its own number or text.
  const held = (cell) =>
    new Map([
      ["", own(cell)],
      ...[...cell.querySelectorAll("[data-of]")].map((part) => [part.dataset.of, part.value ?? plain(part.textContent.trim())]),
    ]);

  // One value per cell: what a cell of the page contains in addition to its number gets its own column.
  const csv = (columns, rows) => {
    const found = columns.flatMap((cells, x) => {
      const title = cells.map((cell) => cell.textContent.trim()).filter(Boolean).join(" ");
      const values = rows.map((row) => held(row.cells[x]));
      const names = [...new Set(values.flatMap((of) => [...of.keys()]))];
      const used = names.length > 1 ? names.filter((name) => values.some((of) => of.get(name))) : names;
      return used.map((name) => [[title, name].filter(Boolean).join(", "), ...values.map((of) => of.get(name) ?? "")]);
    });
    const lines = found[0].map((_, y) => found.map((column) => column[y]));
    return lines.map((line) => line.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n");
  };

  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    if (rows.length < 8) continue;
    const name = table.parentElement.getAttribute("aria-label");

    const columns = heads(table);
    const lowest = columns.map((cells) => cells.at(-1));
    lowest.forEach((head, x) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { null: "ascending", ascending: "descending", descending: null }[head.getAttribute("aria-sort")];
        for (const other of lowest) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        body.append(...(next ? [...rows].sort(compare(x, rows, next === "ascending" ? 1 : -1)) : rows));
      });
    });

    const tools = document.createElement("p");
    tools.className = "tools";
    tools.innerHTML = '<label>Filter <input type="search"></label> <output></output> <a>Table (CSV)</a>';
    const [filter, count, link] = ["input", "output", "a"].map((tag) => tools.querySelector(tag));
    filter.setAttribute("aria-label", `Filter ${name}`);
    filter.addEventListener("input", () => {
      const wanted = filter.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      count.textContent = wanted && `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    });
    link.download = `${table.id || name}.csv`;
    link.href = "#"; // its text is made on request: a page has a hundred tables
    link.addEventListener("click", () => (link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(csv(columns, rows))}`));
    table.parentElement.before(tools);
  }
}
