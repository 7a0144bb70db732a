// saving.js: saves the viewer's game, or one of its positions, as a file. Nothing is sent anywhere.

const saving = (() => {
  const { h } = dom;
  /** The factor by which a PNG is larger than the picture. */
  const SCALE = 2;
  /** How many milliseconds the browser may take to begin saving a file. */
  const PATIENCE = 60_000;

  const FORMS = [
    { kind: "png", label: "Position (PNG)", title: "Save this position as a picture", fits: () => true },
    { kind: "svg", label: "Game (SVG)", title: "Save the game as an animated picture", fits: () => true },
    { kind: "sgf", label: "Game (SGF)", title: "Save the game for Go viewers", fits: formats.hasSgf },
    { kind: "ggf", label: "Game (GGF)", title: "Save the game for programs that play Othello", fits: formats.hasGgf },
  ];

  /** Lets the browser save `blob` as `name`. This is the only link that does not lead to the page itself: it leads to `blob`. */
  function offer(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), PATIENCE);
  }

  /** The picture `svg` as PNG. */
  async function png(svg, width, height) {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = h("canvas", { width: width * SCALE, height: height * SCALE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png");
    });
  }

  /** The pictures of the game `read`; `about` describes them if they do not show the whole game. */
  function pictured({ about, entry, read }) {
    const result = codes.isOfTwo() ? words.result(entry) : picture.placing(entry[3]);
    return picture.of({ about, names: page.seated(entry).map(page.name), read, result, rules: page.data.ruleset });
  }

  /** The contents of a file of kind `kind`, for the game or for the position in `shown`. */
  async function contents(kind, shown) {
    const { controls, entry, ply, read, tried } = shown;
    if (kind === "svg") return new Blob([pictured(shown).film()], { type: "image/svg+xml" });
    if (kind === "png") {
      const own = tried ? { about: tried.caption, entry, read: { plies: [tried.one ?? { parts: [] }], boards: [tried.position, tried.position] } } : shown;
      const { height, still, width } = pictured(own);
      return png(tried ? still(1, tried.caption) : still(ply), width, height);
    }
    const names = page.seated(entry).map(page.name);
    const text = formats[kind]({ controls, data: page.data, entry, id: page.id(entry), names, read });
    return new Blob([text], { type: "application/octet-stream" });
  }

  /** Saves `shown`: the viewer's game at one of its plies, or the position `tried` of a variation. */
  async function save(kind, shown) {
    // The id of a game that does not come from a run may contain characters that are not allowed in file names.
    const name = page.id(shown.entry).replace(/[^\w.-]+/g, "_").slice(0, 100);
    const at = kind !== "png" ? "" : shown.tried ? "-variation" : `-${shown.ply}`;
    try {
      offer(`${name}${at}.${kind}`, await contents(kind, shown));
    } catch (error) {
      dom.toast(`The file cannot be created (${error.message}).`);
    }
  }

  /** The buttons that save `shown()`. */
  function buttons(shown) {
    const list = FORMS.filter(({ fits }) => fits(page.data));
    return list.map(({ kind, label, title }) => h("button", { type: "button", title, onclick: () => save(kind, shown()) }, label));
  }

  return { buttons };
})();
