"use strict";
// What the reader chose: models to hide or to highlight, metrics and topics to leave out, words to look for. One choice for
// all figures, tables and lists, kept in the address: `#section?hide=a,b&mark=c&without=d&off=e&words=f`. The description
// that maps show is chosen above them and kept there too: `description=g`.
const looks = JSON.parse(document.getElementById("looks").textContent);
const choice = { hide: new Set(), mark: new Set(), without: new Set(), off: new Set(), words: "", description: "" };
// The model whose name a text is or begins with, as in "model, task".
const modelOf = (text) => {
  const is = (said) => text.trim() === said || text.trim().startsWith(`${said}, `);
  return looks.find(({ name, label }) => is(label) || is(name))?.name;
};
// Opens everything that an element is folded in and scrolls to it; then again, as figures that come into view move it.
const reveal = (node) => {
  for (let of = node; of; of = of.parentElement) if (of.nodeName === "DETAILS") of.open = true;
  const at = node.closest("figure") ?? node;
  const scroll = () => at.scrollIntoView({ block: at.nodeName === "TR" ? "center" : "start" });
  scroll();
  for (const wait of [300, 900]) setTimeout(scroll, wait);
};
{
  const form = document.getElementById("choice");
  const kinds = ["hide", "mark", "without", "off"];
  const boxes = { model: "hide", part: "without", topic: "off" }; // the set that the value of an unchecked box goes to
  const texts = ["words", "description"];

  // What belongs to one model: rows and columns of tables, items of lists. Found once, when a choice is first made.
  let found = null;
  const find = () => {
    const of = [...document.querySelectorAll("[data-model]")].map((node) => [node.dataset.model, [node]]);
    for (const item of document.querySelectorAll("main li:not([data-model])")) {
      const strong = item.querySelector(":scope > strong");
      if (strong) of.push([modelOf(strong.textContent.replace(/\.$/, "")), [item]]);
    }
    for (const row of document.querySelectorAll("main tbody tr")) {
      const cells = [...row.cells].slice(0, 3);
      of.push([cells.map((cell) => modelOf(cell.textContent)).find(Boolean), [row]]);
    }
    for (const table of document.querySelectorAll("main table")) of.push(...columns(table));
    return of.filter(([model]) => model);
  };

  // Columns below a head that names a model.
  const columns = (table) => {
    if (!table.tHead) return [];
    let x = 0;
    return [...table.tHead.rows[0].cells].flatMap((head) => {
      const [from, to] = [x, (x += head.colSpan)];
      const model = modelOf(head.textContent);
      if (!model) return [];
      const more = [...table.tHead.rows].slice(1).flatMap((row) => [...row.cells].slice(from - 1, to - 1));
      return [[model, [head, ...more, ...[...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(from, to))]]];
    });
  };

  const state = (model) => (choice.hide.has(model) ? "off" : choice.mark.size && !choice.mark.has(model) ? "dim" : "");

  const show = () => {
    const is = Boolean(kinds.some((kind) => choice[kind].size) || texts.some((text) => choice[text]));
    if (!is && !found) return;
    found ??= find();
    for (const [model, nodes] of found) for (const node of nodes) node.dataset.choice = state(model);
    for (const name of ["part", "topic"]) {
      const out = choice[boxes[name]];
      for (const node of document.querySelectorAll(`[data-${name}]`)) node.dataset.out = out.has(node.dataset[name]) ? "off" : "";
    }
    const words = choice.words.toLowerCase();
    for (const body of document.querySelectorAll("main tbody")) {
      const has = [...body.rows].map((row) => row.textContent.toLowerCase().includes(words));
      const some = has.includes(true); // a table without any match stays whole
      [...body.rows].forEach((row, y) => (row.dataset.words = some && !has[y] ? "off" : ""));
    }
    document.dispatchEvent(new Event("choice"));
  };

  const address = (anchor) => {
    const of = new URLSearchParams();
    for (const kind of kinds) if (choice[kind].size) of.set(kind, [...choice[kind]].map(encodeURIComponent).join(","));
    for (const text of texts) if (choice[text]) of.set(text, choice[text]);
    return `#${anchor}${of.size ? `?${of}` : ""}`;
  };

  const anchor = () => decodeURIComponent(location.hash.slice(1).split("?")[0]);

  const read = () => {
    const [, query] = location.hash.split("?");
    if (query !== undefined) {
      const of = new URLSearchParams(query);
      for (const kind of kinds) choice[kind] = new Set((of.get(kind) ?? "").split(",").filter(Boolean).map(decodeURIComponent));
      for (const text of texts) choice[text] = of.get(text) ?? "";
    } else if (anchor()) {
      history.replaceState(null, "", address(anchor())); // a link within the page keeps the choice
    }
    if (form) {
      for (const [name, kind] of Object.entries(boxes)) {
        for (const box of form.querySelectorAll(`[name=${name}]`)) box.checked = !choice[kind].has(box.value);
      }
      for (const button of form.querySelectorAll("[name=mark]")) button.ariaPressed = choice.mark.has(button.value);
      form.elements.words.value = choice.words;
    }
    show();
    const node = document.getElementById(anchor());
    if (node && document.querySelector("main").contains(node)) reveal(node);
  };

  const write = () => {
    history.replaceState(null, "", address(anchor()));
    show();
  };

  const put = (set, value, is) => (is ? set.add(value) : set.delete(value));

  form?.addEventListener("change", ({ target }) => {
    if (target.name in boxes) put(choice[boxes[target.name]], target.value, !target.checked);
    write();
  });
  form?.addEventListener("input", ({ target }) => {
    if (target.name !== "words") return;
    choice.words = target.value.trim();
    write();
  });
  form?.addEventListener("click", ({ target }) => {
    if (target.name !== "mark") return;
    target.ariaPressed = !choice.mark.has(target.value);
    put(choice.mark, target.value, !choice.mark.has(target.value));
    write();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "description") return;
    choice.description = target.selectedIndex ? target.value : ""; // the first is drawn without a choice
    write();
  });
  form?.addEventListener("submit", (event) => event.preventDefault());
  form?.addEventListener("reset", () => {
    history.replaceState(null, "", `#${anchor()}?`);
    read();
    history.replaceState(null, "", address(anchor()));
  });
  addEventListener("hashchange", read);
  addEventListener("DOMContentLoaded", read);

  // Copies the text of an element, or the address.
  document.addEventListener("click", async ({ target }) => {
    if (target.dataset?.copy === undefined) return;
    const of = target.dataset.copy;
    const text = of ? document.getElementById(of).textContent : location.href;
    await navigator.clipboard.writeText(text);
    const said = target.textContent;
    target.textContent = "Copied";
    setTimeout(() => (target.textContent = said), 1500);
  });

  document.documentElement.classList.add("with-scripts");
  // The menu is open next to the page if there is room for both.
  const menu = document.getElementById("menu");
  const wide = matchMedia("(min-width: 64rem)");
  const fit = () => (menu.open = wide.matches);
  wide.addEventListener("change", fit);
  fit();
}
