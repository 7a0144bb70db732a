// theme.js: the button for light, dark or high-contrast colours. By default, the page follows the system.

const theme = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  /** For each theme, the theme that the button chooses next, and the theme's name. */
  const NEXT = { light: "dark", dark: "contrast", contrast: "light" };
  const NAMES = { light: "light", dark: "dark", contrast: "high-contrast" };
  /** A disc with one dark half. */
  const ICON = "M10 1.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17zM10 3.5a6.5 6.5 0 0 1 0 13z";

  const now = () => root.dataset.theme ?? (system.matches ? "dark" : "light");

  /** The last choice. Some browsers store nothing for a page from a file. */
  function kept() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null;
    }
  }

  function choose(name) {
    root.dataset.theme = name;
    try {
      localStorage.setItem("theme", name);
    } catch {
      // The choice then lasts until the page is closed.
    }
  }

  function start(place) {
    if (Object.hasOwn(NEXT, kept() ?? "")) root.dataset.theme = kept();
    const button = dom.button(
      dom.s("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, dom.s("path", { d: ICON, "fill-rule": "evenodd" })),
      "",
      () => {
        choose(NEXT[now()]);
        label();
      },
      { id: "theme" },
    );
    const label = () => ["aria-label", "title"].forEach((name) => button.setAttribute(name, `Switch to ${NAMES[NEXT[now()]]} colours`));
    system.addEventListener("change", label);
    label();
    place.append(button);
  }

  return { start };
})();
