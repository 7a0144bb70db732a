// pager.js: on a phone, boards are side by side, each as wide as the page: a swipe, a button or an arrow key turns to
// the next.

const pager = (() => {
  const { h } = dom;
  /** The smallest number of boards that are shown side by side. */
  const LEAST = 2;
  const narrow = matchMedia("(max-width: 47.5rem)");

  let count = 0;

  const isNarrow = () => narrow.matches;
  const isOn = () => isNarrow() && count >= LEAST;

  /** The buttons for the boards in the list `grid`. */
  function create(grid) {
    const place = h("span", { class: "place" });
    const back = dom.button("‹", "", () => turn(-1), { "aria-label": "Previous board" });
    const on = dom.button("›", "", () => turn(1), { "aria-label": "Next board" });
    const node = h("div", { class: "pages", hidden: true }, back, place, on);

    const index = () => Math.round(grid.scrollLeft / Math.max(1, grid.clientWidth));

    function mark() {
      const text = `Board ${Math.min(index() + 1, count)} of ${count}`;
      if (place.textContent !== text) place.textContent = text;
      back.disabled = index() <= 0;
      on.disabled = index() >= count - 1;
    }

    /** Turns to the board that is `step` places further on. */
    function turn(step) {
      const card = grid.children[Math.max(0, Math.min(count - 1, index() + step))];
      if (card) grid.scrollTo({ left: card.offsetLeft - grid.children[0].offsetLeft });
    }

    /** Shows which of the `boards` boards is visible, if they are side by side. */
    function show(boards) {
      count = boards;
      node.hidden = !isOn();
      grid.classList.toggle("paged", isOn());
      if (isOn()) {
        grid.tabIndex = 0;
        mark();
      } else grid.removeAttribute("tabindex");
    }

    grid.addEventListener("scroll", () => isOn() && mark(), { passive: true });
    narrow.addEventListener("change", () => show(count));
    return { node, show, turn };
  }

  return { create, isNarrow, isOn };
})();
