"use strict";
// Tables of eight rows or more can be sorted, filtered and taken along. Without this script all tables are whole.
{
  // What a cell says in large: its interval and notes stand in elements of their own.
  const said = (cell) =>
    [...cell.childNodes].filter((node) => node.nodeName !== "SPAN").map((node) => node.textContent).join("").trim();

  const numeric = (text) => parseFloat(text.replace(/^[<≈]\s*|,/g, "").replace("−", "-"));

  const isEmpty = (text) => text === "" || text === "–" || text === "no value";

  // The header cells of each column, from above.
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
    const texts = new Map(rows.map((row) => [row, said(row.cells[x])]));
    const isNumeric = [...texts.values()].every((text) => isEmpty(text) || !isNaN(numeric(text)));
    return (a, b) => {
      const [one, other] = [texts.get(a), texts.get(b)];
      if (isEmpty(one) || isEmpty(other)) return isEmpty(one) - isEmpty(other);
      return direction * (isNumeric ? numeric(one) - numeric(other) : one.localeCompare(other));
    };
  };

  const csv = (columns, rows) => {
    const whole = (nodes) => [...nodes].map((node) => node.textContent.trim()).filter(Boolean).join(" ");
    const lines = [columns.map(whole), ...rows.map((row) => [...row.cells].map((cell) => whole(cell.childNodes)))];
    return lines.map((line) => line.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n");
  };

  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    if (rows.length < 8) continue;
    const name = table.parentElement.getAttribute("aria-label");

    const columns = heads(table);
    const data = csv(columns, rows);
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
    link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(data)}`;
    table.parentElement.before(tools);
  }
}
