// table.js: starts the page of a board on which people play: its buttons, its keys, and what a click does.

(() => {
  const { h, byId } = dom;
  /** Fields that are smaller than this many pixels are chosen with two taps. */
  const SMALL = 28;

  let tapped = null;
  /** The request that will be granted if it is made again: `resign` or `leave`. */
  let unsure = null;
  const buttons = {};

  /** Sends a request, and shows the response. */
  async function ask(what, more) {
    const turn = tableView.board()?.turn;
    const told = await tableLink.act(what, more);
    if (!told) return;
    // A change is announced together with the board.
    if (told.told && told.board.turn === turn) tableView.say(`${told.told}.`);
    if (what === "field" || tableView.begun()) tableView.begin(told.begun, told.next);
  }

  /** Carries out the request of a button or a key. `resign` and `leave` have to be requested twice. */
  function request(what, more) {
    const isSure = unsure === what;
    settle();
    if ((what === "resign" || what === "leave") && !isSure) {
      const board = tableView.board();
      if (!board || (what === "resign" && board.result)) return;
      unsure = what;
      buttons[what].classList.add("unsure");
      tableView.say(what === "resign" ? "To resign, choose Resign again." : "To leave the game and end the program, choose Leave again.");
      return;
    }
    ask(what, more);
  }

  function settle() {
    if (unsure) buttons[unsure].classList.remove("unsure");
    unsure = null;
  }

  function choose(cell) {
    settle();
    const field = tableView.fieldOf(cell);
    if (field === null) {
      tableView.say("This board is not in play now.");
      return;
    }
    ask("field", { text: codes.pointName(field), begun: tableView.begun() });
  }

  /** Moves the keyboard's focus to `cell`. */
  function focus(cell) {
    const old = tableView.current();
    if (old) old.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: true });
  }

  function click(event) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    if (tableView.fieldOf(cell) !== null) focus(cell);
    const isSmall = event.pointerType === "touch" && cell.getBoundingClientRect().width < SMALL;
    if (isSmall && tapped !== cell) {
      tapped = cell;
      tableView.say(`${codes.pointName(tableView.fieldOf(cell) ?? 0)}: tap again to play there.`);
      return;
    }
    tapped = null;
    choose(cell);
  }

  function press(event) {
    if (!["Enter", " "].includes(event.key) || event.repeat || !event.target.matches(".cell")) return;
    event.preventDefault();
    choose(event.target);
  }

  const LIST = [
    ["pass", "Pass", "p", "pass", () => request("move", { text: "pass" })],
    ["undo", "Take back", "u", "take back your last move", () => request("undo")],
    ["hint", "Hints", "h", "show or hide hints", () => request("hint")],
    ["why", "Last move", "v", "show or hide what your last move gave away", () => request("why")],
    ["legal", "Legal points", "l", "show or hide where a move is legal", legal],
    ["resign", "Resign", "r", "resign, if pressed twice", () => request("resign")],
    ["leave", "Leave", "q", "leave the game, if pressed twice", () => request("leave")],
  ];

  function legal() {
    settle();
    if (tableView.board()) buttons.legal.setAttribute("aria-pressed", tableView.toggleLegal());
  }

  function actions() {
    for (const [id, label, key, what, run] of LIST) {
      const switches = ["hint", "why", "legal"].includes(id);
      buttons[id] = dom.button(label, key.toUpperCase(), run, { id: `do-${id}`, title: what, "aria-pressed": switches ? "false" : null });
      keys.add([key, key.toUpperCase()], what, run);
    }
    return h("div", { id: "actions", role: "group", "aria-label": "What to do" }, ...Object.values(buttons));
  }

  function form() {
    const input = h("input", { id: "typed", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: "24", size: "8" });
    const send = (event) => {
      event.preventDefault();
      if (!input.value.trim()) return;
      request("move", { text: input.value });
      input.value = "";
    };
    return h("form", { id: "type", onsubmit: send }, h("label", { for: "typed" }, "Move"), input, h("button", {}, "Play"));
  }

  function enable(board) {
    const isOver = board.result !== null || board.left;
    buttons.pass.disabled = isOver || board.thinking || !board.pass;
    buttons.undo.disabled = board.left || board.thinking || board.moves.length <= board.given;
    buttons.resign.disabled = isOver || board.thinking;
    buttons.leave.disabled = board.left;
    buttons.hint.disabled = board.left;
    buttons.why.disabled = board.left;
    buttons.hint.setAttribute("aria-pressed", board.hinting);
    buttons.why.setAttribute("aria-pressed", board.why !== null);
  }

  /** The arrow keys begin in the middle of the board if nothing has the focus. */
  function enter() {
    tableView.current()?.focus();
  }

  function start() {
    document.documentElement.classList.add("js");
    const node = tableView.build(actions(), form());
    node.addEventListener("click", click);
    node.addEventListener("keydown", press);
    keys.add(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"], "choose a point", enter);
    keys.add(["Enter"], "play on the point", enter, () => document.activeElement === document.body);
    keys.add(["Escape"], "clear the points chosen so far", () => tableView.begin("", []), () => tableView.begun());
    keys.start(byId("tools"));
    theme.start(byId("tools"));
    let isLost = false;
    let turn = null;
    tableLink.start({
      board(board) {
        if (board.turn !== turn) {
          tapped = null;
          settle();
        }
        turn = board.turn;
        tableView.show(board);
        enable(board);
      },
      found() {
        if (isLost) tableView.say("The program is answering again.");
        isLost = false;
      },
      lost(error) {
        isLost = true;
        tableView.say(error.status ? `${words.sentence(error.message)}.` : "The program does not answer. It may have ended. This page keeps trying.");
      },
    });
  }

  start();
})();
