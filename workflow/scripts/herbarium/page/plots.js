"use strict";
// Draws each figure that has panels when it comes into view, instead of its picture, which is kept for print.
{
  const outlines = document.getElementById("outlines");
  const countries = outlines && JSON.parse(outlines.textContent);
  PlotlyGeoAssets.topojson.world_110m = {}; // or plotly asks its own server for outlines that are not shown
  // Margins grow only on the left and below: room for the last tick on the right can remove that very tick, and with it the
  // need for the room, in an endless loop.
  // Powers of ten, not the prefixes of units: 200µ is not a number.
  const numbers = { exponentformat: "power" };
  const grid = { zeroline: true, zerolinecolor: "#888", gridcolor: "#8884", automargin: "left+bottom", ...numbers };
  const hover = { hovertemplate: "%{text}<extra></extra>" };

  // No effect is drawn in the colour of the page: pale on a light page, dark on a dark one, where the ends are bright.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const diverging = (scale) =>
    dark.matches
      ? [[0, colour("low")], [0.5, colour("page")], [1, colour("high")]]
      : scale.map(([at, of]) => [at, at === 0.5 ? colour("page") : of]);

  const completed = (trace) =>
    trace.type === "choropleth"
      ? {
          ...hover,
          ...trace,
          colorscale: diverging(trace.colorscale),
          colorbar: { ...numbers, ...trace.colorbar },
          geojson: countries,
          marker: { line: { color: "#777", width: 0.4 } },
        }
      : {
          ...hover,
          ...trace,
          cliponaxis: !trace.mode?.includes("markers"), // a mark at an end is whole
          marker: { size: 7, ...trace.marker },
          error_x: trace.error_x && { width: 0, thickness: 1.2, ...trace.error_x },
          error_y: trace.error_y && { width: 0, thickness: 0.8, ...trace.error_y },
        };

  // The layer below a map: every country, for those without a value.
  const names = countries ? countries.features.map((feature) => feature.properties.name) : [];
  const below = () => ({
    ...hover,
    type: "choropleth",
    featureidkey: "properties.name",
    locations: names,
    z: names.map(() => 0),
    colorscale: [[0, colour("none")], [1, colour("none")]],
    showscale: false,
    geojson: countries,
    marker: { line: { color: "#777", width: 0.4 } },
    text: names.map((name) => `${name}: no value`),
  });

  // Models have one colour and one symbol in all figures.
  const byName = new Map(looks.map((of) => [of.name, of]));
  // On a dark page the dark shades of the palette are mixed with white.
  const readable = (of) => {
    const parts = [1, 3, 5].map((at) => parseInt(of.slice(at, at + 2), 16));
    if (!dark.matches || parts.reduce((sum, part) => sum + part) > 260) return of;
    return `#${parts.map((part) => Math.round(0.55 * part + 115).toString(16).padStart(2, "0")).join("")}`;
  };
  const unescaped = (text) => new DOMParser().parseFromString(text, "text/html").documentElement.textContent;
  const coloured = (trace) => {
    const own = byName.get(modelOf(unescaped(trace.name ?? "")));
    if (!own || trace.type === "choropleth") return trace;
    const of = readable(own.colour);
    const symbols = trace.marker?.symbol;
    const isArrow = (mark) => /^(triangle-(left|right)|arrow)/.test(mark); // beyond an end of an axis
    const symbol = Array.isArray(symbols)
      ? symbols.map((mark) => (isArrow(mark) ? mark : own.symbol + (mark.endsWith("-open") ? "-open" : "")))
      : symbols;
    const marker = { ...trace.marker, color: of, ...(symbol && { symbol }) };
    return { ...trace, marker, ...(trace.line && { line: { ...trace.line, color: of } }) };
  };

  // What is left of a trace: marks of models and topics that are not hidden, dimmed if others are highlighted or if they do
  // not contain the words searched for.
  const chosen = (trace) => {
    const texts = Array.isArray(trace.text) ? trace.text : [];
    const n = texts.length || (trace.models && trace.x ? trace.x.length : 0); // arrows at an end have no text
    const each = (of) => (Array.isArray(of) ? of : Array(n).fill(of));
    const [models, topics] = [each(trace.models), each(trace.topics)];
    const words = choice.words.toLowerCase();
    const kept = models.map((_, i) => i).filter((i) => !choice.hide.has(models[i]) && !choice.off.has(topics[i]));
    if (n && !kept.length) return null;
    const pick = (of) => (n && Array.isArray(of) && of.length === n ? kept.map((i) => of[i]) : of);
    const bars = (of) => of && { ...of, array: pick(of.array), arrayminus: pick(of.arrayminus) };
    const dim = (i) =>
      (choice.mark.size && models[i] && !choice.mark.has(models[i])) || (words && texts.length && !texts[i]?.toLowerCase().includes(words));
    const made = { ...trace };
    for (const key of ["x", "y", "z", "locations", "text"]) if (trace[key]) made[key] = pick(trace[key]);
    for (const key of ["error_x", "error_y"]) if (trace[key]) made[key] = bars(trace[key]);
    if (trace.marker && n) made.marker = { ...trace.marker, symbol: pick(trace.marker.symbol), opacity: kept.map((i) => (dim(i) ? 0.15 : 1)) };
    return made;
  };

  // A forest whose topics are chosen, without the lines that have no marks left: they would look like lines without values.
  const closed = (traces, layout) => {
    const ticks = layout.yaxis?.tickvals;
    if (!choice.off.size || !ticks || !traces.some(({ topics }) => topics)) return [traces, layout];
    const seen = new Set(traces.flatMap(({ y }) => y.map(Math.round)));
    const kept = ticks.filter((tick) => seen.has(tick));
    const moved = new Map(kept.map((tick, i) => [tick, i - tick]));
    const ticktext = kept.map((tick) => layout.yaxis.ticktext[ticks.indexOf(tick)]);
    const yaxis = { ...layout.yaxis, tickvals: kept.map((_, i) => i), ticktext, range: [kept.length - 0.5, -0.5] };
    const height = Math.max(150, (layout.height * kept.length) / ticks.length);
    const ofLine = ({ yref, y0, y1 }) => (yref === "paper" ? null : Math.round((y0 + y1) / 2));
    const shapes = (layout.shapes ?? [])
      .filter((shape) => ofLine(shape) === null || seen.has(ofLine(shape)))
      .map((shape) => {
        const by = moved.get(ofLine(shape)) ?? 0;
        return { ...shape, y0: shape.y0 + by, y1: shape.y1 + by };
      });
    return [
      traces.map((trace) => ({ ...trace, y: trace.y.map((y) => y + moved.get(Math.round(y))) })),
      { ...layout, height, yaxis, shapes },
    ];
  };

  // The traces of a panel, for the chosen description if there is a choice.
  const worded = ({ data, choices }) => {
    const at = choices ? choices.descriptions.indexOf(choice.description) : -1;
    if (at === -1) return data;
    const values = choices.z[at];
    const known = values.map((_, i) => i).filter((i) => values[i] !== null);
    const pick = (of) => known.map((i) => of[i]);
    const text = known.map((i) => `${choices.text[i]}<br>${`${values[i]}`.replace("-", "−")}`);
    const [zmin, zmax] = [-choices.limits[at], choices.limits[at]];
    return [{ ...data[0], locations: pick(choices.locations), z: pick(values), zmin, zmax, text }];
  };

  const chooser = (descriptions) => {
    const line = document.createElement("p");
    line.className = "tools";
    const label = line.appendChild(document.createElement("label"));
    const select = document.createElement("select");
    select.name = "description";
    select.append(...descriptions.map((of) => new Option(of)));
    label.append("Description ", select);
    return line;
  };

  const draw = (figure) => {
    const panels = document.createElement("div");
    panels.className = "panels";
    panels.ariaHidden = "true"; // the picture is read out, whose text says everything
    figure.querySelector(".wide").removeAttribute("tabindex");
    figure.prepend(panels);
    const all = JSON.parse(figure.querySelector("script").textContent);
    // All panels have their places before the first is drawn, as its width depends on them.
    const places = all.map((panel, i) => {
      if (panel.heading && panel.heading !== all[i - 1]?.heading) panels.appendChild(document.createElement("h4")).textContent = panel.heading;
      const place = panels.appendChild(document.createElement("div"));
      place.appendChild(document.createElement("p")).textContent = panel.title;
      return [panel, place.appendChild(document.createElement("div"))];
    });
    panels.classList.toggle("one", places.length === 1);
    // no more abreast than on paper, so that those that belong together stay so
    const n = all[0]?.abreast;
    if (n) panels.style.setProperty("--least", `max(${37 / n}rem, (100% - ${n - 1}rem) / ${n})`);
    figure.prepend(legend(all));
    if (all[0]?.choices) {
      figure.prepend(chooser(all[0].choices.descriptions));
      follow();
    }
    places.forEach(([panel, place]) => plot(panel, place));
    drawn.push(...places);
    figure.querySelector("figcaption").append(...tools(figure, places));
    figure.classList.add("drawn");
  };

  // Shapes of marks in a box from -5 to 5, by the names that plotly gives them.
  const outlinesOfMarks = {
    circle: "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    square: "M-3.5,-3.5H3.5V3.5H-3.5Z",
    diamond: "M0,-5L5,0L0,5L-5,0Z",
    "triangle-up": "M0,-4.5L4.5,3.5H-4.5Z",
    "triangle-down": "M0,4.5L4.5,-3.5H-4.5Z",
    cross: "M-1.5,-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    x: "M0,-2L2.5,-4.5L4.5,-2.5L2,0L4.5,2.5L2.5,4.5L0,2L-2.5,4.5L-4.5,2.5L-2,0L-4.5,-2.5L-2.5,-4.5Z",
    star: "M0,-5L1.3,-1.7L4.8,-1.5L2,0.8L3,4.2L0,2.2L-3,4.2L-2,0.8L-4.8,-1.5L-1.3,-1.7Z",
  };
  const dashes = { dash: "4 2.5", dot: "1.5 2" };

  // What a legend shows of a trace or shape: an area, or a line and a mark.
  const sample = ({ mode, marker, line, fillcolor }) => {
    if (fillcolor) return `<rect x="-9" y="-5" width="18" height="10" fill="${fillcolor}"/>`;
    const symbols = [marker?.symbol ?? "circle"].flat();
    const symbol = symbols.find((of) => of.replace("-open", "") in outlinesOfMarks) ?? "circle";
    const colour = marker?.color ?? line?.color;
    const shape = outlinesOfMarks[symbol.replace("-open", "")];
    const isOpen = symbol.startsWith("star"); // of others, some are open and some filled
    const stroke = !mode || mode.includes("lines") ? `<path d="M-9,0H9" stroke="${line?.color ?? colour}" stroke-width="1.5" stroke-dasharray="${dashes[line?.dash] ?? "none"}"/>` : "";
    const mark = mode?.includes("markers") ? `<path d="${shape}" stroke="${colour}" stroke-width="1.2" fill="${isOpen ? "var(--page)" : colour}"/>` : "";
    return stroke + mark;
  };

  // Panels share a legend, with the marks that they have.
  const legend = (panels) => {
    const list = document.createElement("ul");
    list.className = "legend";
    list.ariaHidden = "true";
    const traces = panels.flatMap(({ data }) => data).map(coloured).filter(({ name, marker, line, fillcolor }) => name && (marker || line || fillcolor));
    const shapes = panels.flatMap(({ layout }) => layout.shapes ?? []).filter(({ name }) => name);
    const named = new Map();
    for (const of of [...traces, ...shapes]) {
      const name = unescaped(of.name);
      const line = { ...of.line, color: "#888" };
      if (!named.has(name)) named.set(name, sample(of));
      else if (!of.marker && !of.fillcolor && named.get(name) !== sample(of)) named.set(name, sample({ ...of, line })); // of several colours
    }
    if (named.size < 2 && !shapes.length) named.clear();
    const grey = { mode: "markers", marker: { color: "#888" } };
    for (const filled of new Set(panels.map(({ filled }) => filled).filter(Boolean))) named.set(`filled: ${filled}`, sample(grey));
    for (const [name, drawing] of named) {
      const item = list.appendChild(document.createElement("li"));
      item.innerHTML = `<svg viewBox="-10 -5 20 10">${drawing}</svg>`;
      item.append(name.replace("(planted, strength ", "(planted "));
    }
    return list;
  };

  // The title of an axis in as many lines as it needs.
  const titled = (axis, pixels) => {
    if (!axis?.title?.text) return axis;
    const letters = Math.max(14, pixels / 6.3);
    const text = axis.title.text.split("<br>").map((line) => {
      const lines = [""];
      for (const word of line.split(" ")) {
        const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
        if (longer.length > letters && lines.at(-1)) lines.push(word);
        else lines[lines.length - 1] = longer;
      }
      return lines.join("<br>");
    });
    return { ...axis, title: { font: { size: 12 }, ...axis.title, text: text.join("<br>") } };
  };

  const isMap = (data) => data.some((trace) => trace.type === "choropleth");

  const plot = (panel, place) => {
    const data = worded(panel);
    const [left, layout] = closed(data.map(chosen).filter(Boolean), panel.layout);
    place.parentElement.hidden = !left.length && data.length > 0;
    if (place.parentElement.hidden) return;
    const width = place.clientWidth - (layout.yaxis?.ticktext ? 130 : 60); // of the room of marks, about
    Plotly.react(
      place,
      [...(isMap(data) ? [below()] : []), ...left.map(coloured).map(completed)],
      {
        paper_bgcolor: "transparent",
        plot_bgcolor: "transparent",
        showlegend: false,
        dragmode: false, // scrolling by touch does not stop at a plot
        hoverlabel: { align: "left" },
        margin: { l: 10, r: 10, t: 10, b: 40 },
        geo: { visible: false, projection: { type: "equal earth" }, bgcolor: "transparent" },
        ...layout,
        xaxis: { ...grid, nticks: Math.max(3, Math.floor(width / 36)), ...titled(layout.xaxis, width) },
        yaxis: { ...grid, ...titled(layout.yaxis, layout.height - 90) },
      },
      { responsive: true, displayModeBar: false, scrollZoom: false },
    );
  };

  // --- to save ---

  const tools = (figure, places) =>
    ["SVG", "PNG"].map((kind) => {
      const button = document.createElement("button");
      button.textContent = kind;
      button.className = "take";
      button.addEventListener("click", async () => {
        const svg = await together(places.filter(([, place]) => !place.parentElement.hidden));
        const link = document.createElement("a");
        link.download = `${figure.id.replace("figure-", "")}.${kind.toLowerCase()}`;
        link.href = kind === "SVG" ? data(svg) : await rastered(svg);
        link.click();
      });
      return button;
    });

  const data = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

  // All panels in one picture, arranged as on the page.
  const together = async (places) => {
    const boxes = places.map(([, place]) => place.getBoundingClientRect());
    const [left, top] = [Math.min(...boxes.map((box) => box.left)), Math.min(...boxes.map((box) => box.top)) - 20];
    const width = Math.max(...boxes.map((box) => box.right)) - left;
    const height = Math.max(...boxes.map((box) => box.bottom)) - top;
    const parts = await Promise.all(
      places.map(async ([panel, place], i) => {
        const { width, height } = boxes[i];
        const url = await Plotly.toImage(place, { format: "svg", width, height });
        const svg = decodeURIComponent(url.slice(url.indexOf(",") + 1));
        const title = new Option([panel.heading, panel.title].filter(Boolean).join(", ")).innerHTML;
        return `<g transform="translate(${boxes[i].left - left},${boxes[i].top - top})"><text y="-4" font-family="sans-serif" font-size="13" font-weight="600">${title}</text>${svg}</g>`;
      }),
    );
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  };

  const rastered = async (svg) => {
    const image = new Image();
    image.src = data(svg);
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    const on = canvas.getContext("2d");
    on.scale(2, 2);
    on.drawImage(image, 0, 0);
    return canvas.toDataURL("image/png");
  };

  const drawn = []; // panels and their places
  const redraw = () => drawn.forEach(([panel, place]) => plot(panel, place));
  const follow = () => {
    for (const select of document.querySelectorAll("select[name=description]")) {
      select.value = choice.description;
      if (select.selectedIndex === -1) select.selectedIndex = 0;
    }
  };
  dark.addEventListener("change", redraw);
  document.addEventListener("choice", redraw);
  document.addEventListener("choice", follow);

  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "600px" },
  );
  for (const figure of document.querySelectorAll("figure.plot")) seen.observe(figure);

  const swatches = () => {
    for (const of of document.querySelectorAll("#choice .swatch")) of.style.background = readable(of.dataset.colour);
  };
  dark.addEventListener("change", swatches);
  swatches();
}
