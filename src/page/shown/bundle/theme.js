// theme.js: the button for light or dark colours. By default, the page follows the system.

const theme = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

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
    if (["dark", "light"].includes(kept())) root.dataset.theme = kept();
    const button = dom.button(
      "",
      "",
      () => {
        choose(isDark() ? "light" : "dark");
        label();
      },
      { id: "theme" },
    );
    const label = () => (button.textContent = isDark() ? "Light" : "Dark");
    system.addEventListener("change", label);
    button.setAttribute("aria-description", "changes the colours of the page");
    label();
    place.append(button);
  }

  return { start };
})();
