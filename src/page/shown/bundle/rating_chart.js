// rating_chart.js: shows the values under the pointer in the chart of ratings, and the interval of the nearest player.

page.ratingChart = (() => {
  const { h, s } = dom;

  const spread = (elo, e95) => `${words.signed(elo)}${e95 === null ? "" : ` ± ${e95}`}`;

  /** Makes `picture` respond to the pointer. `over` contains the ratings after each part of the games. */
  function follow(picture, over) {
    const [left, top, right, bottom] = picture.dataset.box.split(" ").map(Number);
    const [least, most] = picture.dataset.elo.split(" ").map(Number);
    const shown = Array.from(picture.querySelectorAll("[data-p]"), ({ dataset }) => Number(dataset.p));
    const x = (cut) => left + (over.at[cut] / over.at.at(-1)) * (right - left);
    const y = (elo) => bottom - ((Math.max(least, Math.min(most, elo)) - least) / (most - least)) * (bottom - top);
    const band = s("path", { class: "band" });
    const cursor = s("line", { class: "cursor", y1: top, y2: bottom });
    const tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
    picture.prepend(band);
    picture.append(cursor);
    picture.parentNode.append(tip);

    /** The outline of the 95% intervals of `player` after each part of the games. */
    function outline(player) {
      const known = over.at.map((_, cut) => cut).filter((cut) => over.elo[player][cut] !== null && over.e95[player][cut] !== null);
      const edge = (cuts, sign) => cuts.map((cut) => `${x(cut).toFixed(1)} ${y(over.elo[player][cut] + sign * over.e95[player][cut]).toFixed(1)}`);
      return known.length ? `M${[...edge(known, 1), ...edge(known.reverse(), -1)].join("L")}z` : "";
    }

    function show(event) {
      const box = picture.getBoundingClientRect();
      const scale = picture.viewBox.baseVal.width / box.width;
      const [atX, atY] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      const cut = over.at.reduce((best, _, one) => (Math.abs(x(one) - atX) < Math.abs(x(best) - atX) ? one : best), 0);
      const known = shown.filter((player) => over.elo[player][cut] !== null).sort((a, b) => over.elo[b][cut] - over.elo[a][cut]);
      if (!known.length) return;
      const nearest = known.reduce((best, one) => (Math.abs(y(over.elo[one][cut]) - atY) < Math.abs(y(over.elo[best][cut]) - atY) ? one : best));
      band.setAttribute("d", outline(nearest));
      cursor.setAttribute("x1", x(cut));
      cursor.setAttribute("x2", x(cut));
      tip.replaceChildren(
        h("p", { class: "quiet" }, `After ${words.count(over.at[cut], "game")}`),
        h("dl", {}, known.map((player) =>
          h("div", { class: player === nearest ? "nearest" : null }, h("dt", {}, page.name(player)), h("dd", {}, spread(over.elo[player][cut], over.e95[player][cut]))))),
      );
      picture.parentNode.classList.toggle("late", x(cut) > (left + right) / 2);
      picture.parentNode.classList.add("asked");
      tip.hidden = false;
    }

    function leave() {
      picture.parentNode.classList.remove("asked");
      tip.hidden = true;
    }

    picture.addEventListener("pointermove", show);
    picture.addEventListener("pointerdown", show);
    picture.addEventListener("pointerleave", leave);
  }

  /** Makes the chart respond to the pointer, if the page has one. */
  function start() {
    const picture = document.querySelector("#ratings svg.lines");
    if (picture && page.data) follow(picture, page.data.over);
  }

  return { start };
})();
