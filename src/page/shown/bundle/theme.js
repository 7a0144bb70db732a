// theme.js: the button for light, dark or high-contrast colours. By default, the page follows the system.

const theme = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  /** For each theme, the theme that the button chooses next, and the theme's name on the button. */
  const NEXT = { light: "dark", dark: "contrast", contrast: "light" };
  const NAMES = { light: "Light", dark: "Dark", contrast: "Contrast" };

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
      "",
      "",
      () => {
        choose(NEXT[now()]);
        label();
      },
      { id: "theme" },
    );
    const label = () => (button.textContent = NAMES[NEXT[now()]]);
    system.addEventListener("change", label);
    button.setAttribute("aria-description", "changes the colours of the page");
    label();
    place.append(button);
  }

  return { start };
})();
