// page_keys.js: the keys of the page of a run: those of the viewer and of the parts of the page.

const pageKeys = (() => {
  function add() {
    const open = viewer.isOpen;
    keys.add(["ArrowRight", "ArrowDown", "j", "l"], "next ply", viewer.on, open);
    keys.add(["ArrowLeft", "ArrowUp", "k", "h"], "previous ply", viewer.back, open);
    keys.add(["Home"], "first position", viewer.first, open);
    keys.add(["End"], "last position", viewer.last, open);
    const judged = () => open() && codes.judges();
    keys.add(["n"], "next mistake", viewer.nextMistake, judged, codes.judges);
    keys.add(["p"], "previous mistake", viewer.previousMistake, judged, codes.judges);
    keys.add(["d"], "the decisive move", viewer.decisive, judged, codes.judges);
    keys.add([" "], "play, pause", viewer.toggle, open);
    keys.add(["["], "previous game in the list", () => viewer.other(-1), open);
    keys.add(["]"], "next game in the list", () => viewer.other(1), open);
    keys.add(["c"], "copy the link to this position", viewer.copy, open);
    keys.add(["Escape"], "back to the games", viewer.leave, open);
    keys.add(tabs.numbers(), "parts of the page", (key) => tabs.byNumber(Number(key)));
    keys.add(["/"], "filter the games", filter, () => page.data && dom.byId("games"));
  }

  function filter() {
    tabs.go("#t=games");
    setTimeout(gamesTable.focusFilter);
  }

  return { add };
})();
