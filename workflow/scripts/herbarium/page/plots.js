"use strict";
// Draws each figure that has panels when it comes into sight, in place of its picture, which stays for print.
{
  const outlines = document.getElementById("outlines");
  const countries = outlines && JSON.parse(outlines.textContent);
  PlotlyGeoAssets.topojson.world_110m = {}; // or plotly asks its own server for outlines that are not shown
  // Room for labels is made beside and below alone: room for the last tick on the right can take away that very tick, and
  // with it the need for the room, without end.
  // Powers of ten, not the prefixes of units: 200µ is no number.
  const numbers = { exponentformat: "power" };
  const grid = { zeroline: true, zerolinecolor: "#888", gridcolor: "#8884", automargin: "left+bottom", ...numbers };
  const hover = { hovertemplate: "%{text}<extra></extra>" };

  // No effect has the colour of the page: pale on a light one, dark on a dark one, where the ends are bright.
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
          marker: { size: 7, ...trace.marker },
          error_x: trace.error_x && { width: 0, thickness: 1.2, ...trace.error_x },
          error_y: trace.error_y && { width: 0, thickness: 0.8, ...trace.error_y },
        };

  // What lies below a map: every country, for those without a value.
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

  const draw = (figure) => {
    const panels = document.createElement("div");
    panels.className = "panels";
    panels.ariaHidden = "true"; // read out is the picture, whose text says all of it
    figure.querySelector(".wide").removeAttribute("tabindex");
    figure.prepend(panels);
    // All have their places before the first is drawn, which takes its width from there.
    const places = JSON.parse(figure.querySelector("script").textContent).map((panel) => {
      const place = panels.appendChild(document.createElement("div"));
      place.appendChild(document.createElement("p")).textContent = panel.title;
      return [panel, place.appendChild(document.createElement("div"))];
    });
    places.forEach(([panel, place]) => plot(panel, place));
    drawn.push(...places.filter(([{ data }]) => isMap(data)));
    figure.classList.add("drawn");
  };

  const isMap = (data) => data.some((trace) => trace.type === "choropleth");

  const plot = ({ data, layout }, place) =>
    Plotly.react(
      place,
      [...(isMap(data) ? [below()] : []), ...data.map(completed)],
      {
        paper_bgcolor: "transparent",
        plot_bgcolor: "transparent",
        showlegend: !isMap(data) && data.length > 1,
        dragmode: false, // a finger that moves down the page does not stop at a plot
        hoverlabel: { align: "left" },
        legend: { orientation: "h", y: 1, yanchor: "bottom" },
        margin: { l: 10, r: 10, t: 10, b: 40 },
        geo: { visible: false, projection: { type: "equal earth" }, bgcolor: "transparent" },
        ...layout,
        xaxis: { ...grid, ...layout.xaxis },
        yaxis: { ...grid, ...layout.yaxis },
      },
      { responsive: true, displayModeBar: false, scrollZoom: false },
    );

  const drawn = []; // panels with a map, whose colours are those of the page
  dark.addEventListener("change", () => drawn.forEach(([panel, place]) => plot(panel, place)));

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
}
