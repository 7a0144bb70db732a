// sorted_table.js: the standings of a report, sorted by any of their columns. The order is kept in the address.

page.sortedTable = (() => {
  const { h } = dom;
  let heads = [];
  let rows = [];
  let sorted = null;

  /** The first number in `text`, such as `+426`, `−257`, `34-0-2` or `88%`; `null` if there is none. */
  function numberIn(text) {
    const found = /[−-]?[\d,]+(\.\d+)?/.exec(text);
    return found && Number(found[0].replace("−", "-").replaceAll(",", ""));
  }

  /** Sorts the rows by the column `name`. If there is no such column, restores the order of the page. */
  function sort(name, down) {
    const found = heads.find((head) => head.name === name);
    sorted = found ? { name, down } : null;
    const key = (row) => {
      const cell = row.cells[found.column];
      return cell.matches("th") ? cell.textContent.toLowerCase() : (numberIn(cell.textContent) ?? -Infinity);
    };
    const order = (one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0) * (down ? -1 : 1);
    const list = sorted ? rows.map((row) => ({ row, key: key(row) })).sort(order).map(({ row }) => row) : rows;
    rows[0].parentNode.append(...list);
    for (const head of heads) head.th.setAttribute("aria-sort", head.name !== sorted?.name ? "none" : down ? "descending" : "ascending");
  }

  /** Sorts by the clicked column: a first click puts the best on top, a second the worst; a third undoes that. */
  function click({ name, down }) {
    if (sorted?.name !== name) sort(name, down);
    else if (sorted.down === down) sort(name, !down);
    else sort(null, false);
    history.replaceState(null, "", `#t=standings${sorted ? `&sort=${sorted.down ? "-" : ""}${encodeURIComponent(sorted.name)}` : ""}`);
  }

  /** Turns the table's headings into buttons, once. */
  function start() {
    const table = dom.byId("standings")?.querySelector("table");
    rows = Array.from(table?.tBodies[0].rows ?? []);
    if (!rows.length || heads.length) return;
    heads = Array.from(table.tHead.rows[0].cells, (th, column) => ({ th, column, name: th.textContent, down: th.matches(".num") && th.textContent !== "#" })).filter(({ th }) => !th.firstElementChild);
    for (const head of heads) head.th.replaceChildren(h("button", { type: "button", onclick: () => click(head) }, head.name));
    sort(null, false);
  }

  /** Sorts as the parameters `values` of an address say. Returns a sentence if the table lacks the column. */
  function follow(values) {
    const text = values?.get("sort");
    if (!rows.length || !text) return undefined;
    sort(text.replace(/^-/, ""), text.startsWith("-"));
    return sorted ? undefined : `The standings have no column “${text.replace(/^-/, "")}”; that part of the link is ignored.`;
  }

  return { follow, start };
})();
