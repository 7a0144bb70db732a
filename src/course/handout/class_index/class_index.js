// class_index.js: sorts a class's table by the column whose heading is clicked. The page works without this script.

const table = document.getElementById("grades");
const rows = [...table.tBodies[0].rows];

// Numbers come before words: numbers in descending order, and words in alphabetical order.
function compare(one, other) {
  const [a, b] = [one, other].map((text) => (text === "" ? NaN : Number(text)));
  if (!Number.isNaN(a) && !Number.isNaN(b)) return b - a;
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return one.localeCompare(other);
}

function sortBy(column, heading) {
  const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
  // A column with numbers is sorted in descending order, any other in ascending order; the next click reverses the order.
  const usual = rows.some((row) => key(row) !== "" && !Number.isNaN(Number(key(row)))) ? "descending" : "ascending";
  const turned = usual === "descending" ? "ascending" : "descending";
  const isTurned = heading.getAttribute("aria-sort") === usual;
  const sorted = [...rows].sort((one, other) => compare(key(one), key(other)));
  if (isTurned) sorted.reverse();
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isTurned ? turned : usual);
  table.tBodies[0].append(...sorted);
}

[...table.tHead.rows[0].cells].forEach((heading, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = heading.textContent;
  heading.replaceChildren(button);
  button.addEventListener("click", () => sortBy(column, heading));
});
