"use strict";
// What works only with a script stays hidden without one.
for (const control of document.querySelectorAll(".control")) control.hidden = false;

const ratios = JSON.parse(document.getElementById("ratios").textContent);
const tables = [...document.querySelectorAll("[data-case]")];
const select = document.getElementById("baseline");

function option(value, text) {
  const item = document.createElement("option");
  item.value = value;
  item.textContent = text;
  select.append(item);
}

// A case that lacks the chosen path keeps its usual baseline.
function refer(way) {
  let without = 0;
  for (const table of tables) {
    const of_case = ratios[table.dataset.case];
    const column = of_case[way] || of_case[""];
    if (!of_case[way]) without += 1;
    table.querySelector("thead .ratio").textContent = column.title;
    for (const row of table.querySelectorAll("[data-row]")) {
      const [ratio, verdict] = column.rows[row.dataset.row];
      row.querySelector(".ratio").textContent = ratio;
      row.querySelector(".verdict").textContent = verdict;
    }
  }
  return without;
}

const ways = new Set(Object.values(ratios).flatMap((of_case) => Object.keys(of_case)));
ways.delete("");
option("", "the usual of each case");
for (const way of ways) option(way, way);
select.addEventListener("change", () => {
  const without = refer(select.value);
  document.getElementById("baseline-said").textContent =
    without ? `${without} of ${tables.length} tables have no such path and keep their own` : "";
});

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => {
    const text = document.getElementById(button.dataset.save).textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = button.dataset.name;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
