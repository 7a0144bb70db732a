// keys.js: the keys of the page, and the dialog that lists them. Other files may add keys.

const keys = (() => {
  const { h } = dom;
  const list = [];
  let dialog = null;

  /** Binds each of `names` (as in `event.key`) to `run` while `when` is true; `what` is for the help. */
  const add = (names, what, run, when = () => true) => list.push({ names, what, run, when });

  const shown = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space", Escape: "Esc" };

  function help() {
    if (!dialog) {
      dialog = h(
        "dialog",
        { "aria-labelledby": "helptitle" },
        h("h2", { id: "helptitle" }, "Keys"),
        h(
          "dl",
          {},
          list.filter(({ names: [name] }) => codes.judges() || !"npd".includes(name)).map(({ names, what }) =>
            h(
              "div",
              {},
              h(
                "dt",
                {},
                names.flatMap((name) => [h("kbd", {}, shown[name] ?? name), " "]),
              ),
              h("dd", {}, what),
            ),
          ),
        ),
        h("form", { method: "dialog" }, h("button", {}, "Close")),
      );
      document.body.append(dialog);
    }
    if (!dialog.open) dialog.showModal();
  }

  const typing = (node) => node.matches("input:not([type=checkbox]), select, textarea");

  function press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog?.open) return;
    const { target, key } = event;
    if (typing(target)) {
      if (key === "Escape") target.blur();
      return;
    }
    if (key === " " && target.closest("button, a, summary, input, [role=gridcell]")) return;
    const found = list.find(({ names, when }) => names.includes(key) && when());
    if (!found) return;
    event.preventDefault();
    found.run(key);
  }

  function start(place) {
    const open = viewer.isOpen;
    add(["ArrowRight", "ArrowDown", "j", "l"], "next ply", viewer.on, open);
    add(["ArrowLeft", "ArrowUp", "k", "h"], "previous ply", viewer.back, open);
    add(["Home"], "first position", viewer.first, open);
    add(["End"], "last position", viewer.last, open);
    const judged = () => open() && codes.judges();
    add(["n"], "next mistake", viewer.nextMistake, judged);
    add(["p"], "previous mistake", viewer.previousMistake, judged);
    add(["d"], "the decisive move", viewer.decisive, judged);
    add([" "], "play, pause", viewer.toggle, open);
    add(["["], "previous game in the list", () => viewer.other(-1), open);
    add(["]"], "next game in the list", () => viewer.other(1), open);
    add(["c"], "copy the link to this position", viewer.copy, open);
    add(["Escape"], "back to the games", viewer.leave, open);
    add(tabs.numbers(), "parts of the page", (key) => tabs.byNumber(Number(key)));
    add(["/"], "filter the games", filter, () => page.data && dom.byId("games"));
    add(["?"], "this list", help);
    document.addEventListener("keydown", press);
    place.append(h("button", { type: "button", "aria-label": "Keys", "aria-keyshortcuts": "?", onclick: help }, "?"));
  }

  function filter() {
    tabs.go("#t=games");
    setTimeout(gamesTable.focusFilter);
  }

  return { add, start };
})();
