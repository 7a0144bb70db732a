// page_keys.js: the keys of a run's page: for the viewer, and for the other parts of the page.

const pageKeys = (() => {
  function add() {
    const { isOpen, other } = viewer;
    const add = (names, what, run) => keys.add([names].flat(), what, run, isOpen);
    const judged = (name, what, run) => keys.add([name], what, run, () => isOpen() && codes.judges(), codes.judges);
    add(["ArrowRight", "ArrowDown", "j", "l"], "next ply", viewer.on);
    add(["ArrowLeft", "ArrowUp", "k", "h"], "previous ply", viewer.back);
    add("Home", "first position", viewer.first);
    add("End", "last position", viewer.last);
    judged("n", "next mistake", viewer.nextMistake);
    judged("p", "previous mistake", viewer.previousMistake);
    judged("d", "the decisive move", viewer.decisive);
    judged("b", "play out the better line", viewer.betterLine);
    add(" ", "play, pause", viewer.toggle);
    add("[", "previous game in the list", () => other(-1));
    add("]", "next game in the list", () => other(1));
    add("s", "sound on, off", sound.toggle);
    add("c", "copy the link to this position", viewer.copy);
    add("Escape", "back from a variation to the game, or from the game to the list", viewer.leave);
    keys.add(tabs.numbers(), "parts of the page", (key) => tabs.byNumber(Number(key)));
    keys.add(["/"], "filter the games", filter, () => page.data && dom.byId("games"));
  }

  function filter() {
    tabs.go("#t=games");
    setTimeout(gamesTable.focusFilter);
  }

  return { add };
})();
