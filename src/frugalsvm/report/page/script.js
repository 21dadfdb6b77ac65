"use strict";
(() => {
  const data = JSON.parse(document.getElementById("frontier-data").textContent);
  const columns = data.tnr.length;
  const byId = (id) => document.getElementById(id);
  const tpr = byId("tpr-slider");
  const tnr = byId("tnr-slider");

  function write(id, text) {
    const element = byId(id);
    if (element) element.textContent = text;
  }

  function frame(element, place) {
    const cell = place && document.querySelector(
      `.cell[data-row="${place[0]}"][data-column="${place[1]}"] rect`);
    element.setAttribute("visibility", cell ? "visible" : "hidden");
    if (cell) {
      element.setAttribute("x", cell.getAttribute("x"));
      element.setAttribute("y", cell.getAttribute("y"));
    }
  }

  function listFeatures(names) {
    const items = names.map((name) => {
      const item = document.createElement("li");
      const text = document.createElement("bdi");
      text.textContent = name;
      item.append(text);
      return item;
    });
    byId("choice-features").replaceChildren(...items);
  }

  function showPoint(point, asked) {
    write("choice-cost", point.cost);
    const count = point.features.length;
    write("choice-count", count === 1 ? "1 feature" : `${count} features`);
    listFeatures(point.features);
    for (const rate of ["tpr", "tnr"]) {
      write(`choice-train-${rate}`, point.training[rate]);
      write(`choice-cv-${rate}`, point.held_out[rate]);
      write(`choice-range-${rate}`, point.held_out[`${rate}_range`]);
    }
    const more = point.place[0] !== asked[0] || point.place[1] !== asked[1];
    const whose = point.trained ? " The rates are those of the classifier trained for these." : "";
    write("choice-more", more
      ? `The same cost buys more than you asked for: TPR ${point.tpr} and TNR ${point.tnr}.${whose}`
      : "");
  }

  function show() {
    const asked = [Number(tpr.value), Number(tnr.value)];
    const cell = data.cells[asked[0] * columns + asked[1]];
    write("tpr-value", data.tpr[asked[0]]);
    write("tnr-value", data.tnr[asked[1]]);
    tpr.setAttribute("aria-valuetext", `at least ${data.tpr[asked[0]]}`);
    tnr.setAttribute("aria-valuetext", `at least ${data.tnr[asked[1]]}`);
    write("choice-proof", cell.words);
    const point = cell.point === null ? null : data.points[cell.point];
    byId("choice-known").hidden = point === null;
    if (point === null) {
      write("choice-cost", "no panel");
    } else {
      showPoint(point, asked);
    }
    frame(byId("asked"), asked);
    frame(byId("serving"), point && point.place);
  }

  byId("grid").addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) {
      tpr.value = cell.dataset.row;
      tnr.value = cell.dataset.column;
      show();
    }
  });
  tpr.addEventListener("input", show);
  tnr.addEventListener("input", show);
  document.querySelector(".sliders").addEventListener("submit", (event) => event.preventDefault());
  [tpr.value, tnr.value] = data.start;
  show();
})();
