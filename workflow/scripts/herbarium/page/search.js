"use strict";
// Finds headings, captions and table rows, including folded ones.
{
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const contents = document.querySelector("nav[aria-label=Contents]");
  const most = 40;
  let index = null;

  const text = (node) => node.textContent.replace(/\s+/g, " ").trim();

  // What kind of thing a result is, and in which part of the page.
  const kinds = { TR: "row", CAPTION: "table", FIGCAPTION: "figure" };
  const place = (node) => {
    const part = node.closest("section")?.querySelector("h2");
    return [part && part !== node && text(part), kinds[node.nodeName] ?? "heading"].filter(Boolean).join(", ");
  };

  const build = () => {
    const of = [];
    for (const node of document.querySelectorAll("main h2, main h3, main h4, main h5")) of.push([text(node), node]);
    for (const node of document.querySelectorAll("main caption")) of.push([text(node), node]);
    // the text for readers who cannot see a figure describes it as well
    for (const node of document.querySelectorAll("main figcaption")) {
      of.push([`${text(node)} ${node.closest("figure").querySelector("img").alt}`, node]);
    }
    for (const row of document.querySelectorAll("main tbody tr")) {
      const name = row.closest("[aria-label]")?.getAttribute("aria-label");
      of.push([`${text(row).slice(0, 160)}${name ? ` (${name})` : ""}`, row]);
    }
    return of.map(([said, node]) => [said, said.toLowerCase(), node]);
  };

  field.addEventListener("input", () => {
    index ??= build();
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = wanted.length ? index.filter(([, lower]) => wanted.every((of) => lower.includes(of))) : [];
    list.hidden = contents.hidden = !wanted.length;
    contents.hidden = wanted.length > 0;
    list.replaceChildren(
      ...hits.slice(0, most).map(([said, , node]) => {
        const item = document.createElement("li");
        const button = item.appendChild(document.createElement("button"));
        button.textContent = said.length > 90 ? `${said.slice(0, 90)} …` : said;
        button.append(Object.assign(document.createElement("small"), { textContent: place(node) }));
        button.addEventListener("click", () => {
          reveal(node);
          node.tabIndex = -1;
          node.focus({ preventScroll: true });
        });
        return item;
      }),
    );
    if (wanted.length) {
      const item = list.appendChild(document.createElement("li"));
      item.textContent = hits.length > most ? `and ${hits.length - most} more` : hits.length ? "" : "nothing found";
      item.hidden = !item.textContent;
    }
  });
}
