// keys.js: the keys of the page, and the dialog that lists them. Other files may add keys.

const keys = (() => {
  const { h } = dom;
  const list = [];
  let dialog = null;

  const always = () => true;

  /**
   * Binds each of `names` (as in `event.key`) to `run` while `when` is true. `what` describes them in the
   * help, which lists them while `listed` is true.
   */
  const add = (names, what, run, when = always, listed = always) => list.push({ names, what, run, when, listed });

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
          list.filter(({ listed }) => listed()).map(({ names, what }) =>
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
    add(["?"], "this list", help);
    document.addEventListener("keydown", press);
    place.append(h("button", { type: "button", "aria-label": "Keys", "aria-keyshortcuts": "?", onclick: help }, "?"));
  }

  return { add, start };
})();
