// picture.js: games as pictures in SVG: a position, or a whole game as an animation. Pure; it also runs under node.
// The program's `results/replay/picture` writes the same bytes.

const picture = (() => {
  const [MARGIN, LINE, GAP, LABELS, HEIGHT, NAME] = [16, 26, 20, 22, 480, 24];
  /** Milliseconds: the least and most for a ply, the most for all plies, the pause at the end, a stone's movement. */
  const [FAST, SLOW, WHOLE, REST, MOVE] = [150, 700, 90_000, 3_000, 150];
  /** The maximum number of stones that turn over one by one when they change sides. */
  const TURNING = 1_000;
  /** The surface, the lines and the rings of a board: wood and felt for two seats, and pale boards for more. */
  const TWO = [["#dcb98a", "#a98455", "#0060b0"], ["#3f8f63", "#1f5a3b", "#ffe066"]];
  const MORE = [["#efe3cd", "#94794c", "#14161a"], ["#dfe9e1", "#6f8a7a", "#14161a"]];
  const STONES = {
    b: '<circle r="49" fill="#1b1b1b" stroke="#000" stroke-width="2"/>',
    w: '<circle r="49" fill="#f8f6f1" stroke="#8a8478" stroke-width="2"/>',
    1: '<circle r="50" fill="#0072b2"/>',
    2: '<rect x="-43" y="-43" width="86" height="86" fill="#111"/>',
    3: '<path d="M0-50 50 46H-50z" fill="#006b4f"/>',
    4: '<path d="M0-54 54 0 0 54-54 0z" fill="#c14a00"/>',
    5: '<path d="M0-54 14-18 54-14 23 12 33 52 0 30-33 52-23 12-54-14-14-18z" fill="#f7e85c" stroke="#8a7d00" stroke-width="3"/>',
    6: '<path d="M-22-50H22V-22H50V22H22V50H-22V22H-50V-22H-22z" fill="#9b3d83"/>',
  };

  const escaped = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replace(/[\uFFFE\uFFFF]/g, "\uFFFD");

  /** As much of `name` as fits. Letters from U+1100 on, which include those of East Asia, count as two columns. */
  function shortened(name) {
    let [shown, left] = ["", NAME];
    for (const letter of name) {
      left -= letter.codePointAt(0) < 0x1100 ? 1 : 2;
      if (left < 0) return `${shown}…`;
      shown += letter;
    }
    return shown;
  }

  const boardsTop = (seats) => MARGIN + LINE * Math.ceil(seats / 2) + 6;

  /** One of the boards. Here, its fields are numbered from the top left corner, beginning with its own `first`. */
  function boardOf({ kind, size, first }, number, left, top) {
    const field = Math.floor(HEIGHT / size);
    const [surface, line, ring] = (codes.seats().length > 2 ? MORE : TWO)[Number(kind === "squares")];
    const isPoints = kind === "points";
    const place = (at) => [Math.floor((at - first) / size), (at - first) % size];
    const centre = (at) => {
      const [row, file] = place(at);
      return [left + file * field + field / 2, top + row * field + field / 2];
    };

    function symbols(letters) {
      const scale = field / 125;
      const half = field / 2;
      const stones = letters.map((letter) => `<g id="s${letter}${number}"><g transform="scale(${scale})">${STONES[letter]}</g></g>\n`);
      return (
        stones.join("") +
        `<g id="r${number}"><circle r="54" transform="scale(${scale})" fill="none" stroke="${ring}" stroke-width="8"/></g>\n` +
        `<rect id="e${number}" x="-${half}" y="-${half}" width="${field}" height="${field}" fill="${surface}"${isPoints ? "" : ` stroke="${line}"`}/>\n`
      );
    }

    /** The lines of a point, and its dot if it has one. */
    function crossing(at) {
      const [row, file] = place(at);
      const [x, y] = centre(at);
      const from = (where, middle) => (where === 0 ? middle : middle - field / 2);
      const to = (where, middle) => (where === size - 1 ? middle : middle + field / 2);
      const path = `M${from(file, x)} ${y}H${to(file, x)}M${x} ${from(row, y)}V${to(row, y)}`;
      const dot = board.isStar(file, row, size) ? `<circle cx="${x}" cy="${y}" r="3" fill="${line}"/>` : "";
      return `<path d="${path}" stroke="${line}"/>${dot}`;
    }

    function labels() {
      const letters = codes.files({ kind, size });
      const all = letters.map((letter, i) => {
        const along = (edge) => edge + i * field + field / 2;
        const rank = kind === "squares" ? i + 1 : size - i;
        return `<text x="${left - 11}" y="${along(top) + 4}">${rank}</text><text x="${along(left)}" y="${top + size * field + 16}">${letter}</text>`;
      });
      return `<g font-size="12" fill="#595e64" text-anchor="middle">${all.join("")}</g>\n`;
    }

    function drawn() {
      const whole = size * field;
      const ground = `<rect x="${left}" y="${top}" width="${whole}" height="${whole}" fill="${surface}" stroke="${line}"/>\n`;
      const fields = Array.from({ length: size * size }, (_, i) => first + i);
      const inner = Array.from({ length: size - 1 }, (_, i) => (i + 1) * field);
      const path = inner.map((at) => `M${left + at} ${top}v${whole}M${left} ${top + at}h${whole}`).join("");
      return `${ground}${isPoints ? fields.map(crossing).join("") : `<path d="${path}" stroke="${line}"/>`}\n${labels()}`;
    }

    function emptied(at) {
      const [x, y] = centre(at);
      return `<use href="#e${number}" x="${x}" y="${y}"/>${isPoints ? crossing(at) : ""}`;
    }

    /** Converts the number of a field from the top left corner to its number in the page's data, or back. */
    const turned = (at) => {
      const [row, file] = place(at);
      return first + (kind === "squares" ? row : size - 1 - row) * size + file;
    };

    return { centre, drawn, emptied, extent: size * field + LABELS, first, symbols, turned };
  }

  /**
   * The pictures of a game: `film()`, and `still(ply, caption)`. `names` are the names of the players in turn order;
   * `about` replaces the description.
   */
  function of({ about, names, read, result, rules }) {
    const seats = codes.seats();
    const count = read.plies.length;
    const top = boardsTop(seats.length);
    let left = MARGIN + LABELS;
    const boards = codes.layers().map((layer, number) => {
      const one = boardOf(layer, number, left, top);
      left += one.extent + GAP;
      return one;
    });
    const width = left - GAP - LABELS + MARGIN;
    const height = top + Math.max(...boards.map(({ extent }) => extent)) + 3 * MARGIN;
    const numberOf = (at) => boards.findLastIndex(({ first }) => first <= at);
    const turned = (at) => boards[numberOf(at)].turned(at);
    const positions = read.boards.map((letters) => Array.from(letters, (_, at) => letters[turned(at)]));
    const placed = read.plies.map(({ parts }) => board.standing(parts).filter(({ to }) => to !== null).map(({ to }) => turned(to)));

    const title = () => (seats.length === 2 ? `${names[0]} (black) v ${names[1]} (white)` : names.join(", "));
    const description = () => about ?? `${rules}, ${count} ${count === 1 ? "ply" : "plies"}, ${result}: ${read.plies.map(({ text }) => text).join(" ")}`;

    function players() {
      const lines = seats.map((letter, i) => {
        const x = MARGIN + (i % 2) * (Math.floor(width / 2) - MARGIN / 2);
        const y = MARGIN + LINE * Math.floor(i / 2) + 10;
        return (
          `<g transform="translate(${x + 10} ${y})"><g transform="scale(0.18)">${STONES[letter]}</g></g>` +
          `<text x="${x + 28}" y="${y + 6}" fill="#1d1f21" font-weight="600">${escaped(shortened(names[i]))}</text>\n`
        );
      });
      return lines.join("");
    }

    const opening = (style) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui,sans-serif" font-size="16">\n` +
      `<title>${escaped(title())}</title>\n<desc>${escaped(description())}</desc>\n${style}<defs>\n` +
      `${boards.map((one) => one.symbols(seats)).join("")}</defs>\n<rect width="${width}" height="${height}" rx="8" fill="#fcfcfa"/>\n` +
      players() +
      boards.map((one) => one.drawn()).join("");

    function used(symbol, at, more = "") {
      const number = numberOf(at);
      const [x, y] = boards[number].centre(at);
      return `<use href="#${symbol}${number}" x="${x}" y="${y}"${more}/>`;
    }

    const stones = (position) => position.flatMap((letter, at) => (letter === "." ? [] : [`${used(`s${letter}`, at)}\n`])).join("");

    /** The rings of a ply, and the text about it, which is `caption` if there is one. */
    function told(ply, caption) {
      const rings = (placed[ply - 1] ?? []).map((at) => used("r", at));
      const text = ply ? `Ply ${ply} of ${count}: ${read.plies[ply - 1].text}` : "Start";
      const end = ply === count ? ` · ${result}` : "";
      return `${rings.join("")}<text x="${MARGIN}" y="${height - 26}" fill="#1d1f21">${escaped(caption ?? text + end)}</text>`;
    }

    const isTurned = (ply, at) => {
      const [before, after] = [positions[ply - 1][at], positions[ply][at]];
      return before !== "." && after !== "." && before !== after;
    };

    function change(ply, at, turns) {
      const one = boards[numberOf(at)];
      const [before, after] = [positions[ply - 1][at], positions[ply][at]];
      if (after === ".") return one.emptied(at);
      const name = placed[ply - 1].includes(at) ? ' class="n"' : turns && isTurned(ply, at) ? ' class="f"' : "";
      return (before === "." ? "" : one.emptied(at)) + used(`s${after}`, at, name);
    }

    function style(pace, moving, whole) {
      const share = (time) => Math.floor((time * 100_000) / whole) / 1000;
      const plies = Array.from({ length: count }, (_, i) => {
        const [ply, at] = [i + 1, pace * (i + 1)];
        const delay = `-${whole - at}ms`;
        return (
          `#p${ply}{animation-name:p${ply};--t:${delay}}\n` +
          `@keyframes p${ply}{0%,${share(at)}%{opacity:0}${share(at + moving)}%,to{opacity:1}}\n` +
          (ply < count ? `#l${ply}{animation-delay:${delay}}\n` : "")
        );
      });
      return [
        `.p,.n,.f,#g{animation:${whole}ms linear infinite}`,
        ".n,.f{transform-box:fill-box;transform-origin:center;animation-delay:var(--t)}",
        ".n{animation-name:n}\n.f{animation-name:f}",
        `.l{opacity:0;animation:l ${whole}ms step-end infinite}`,
        `.z{animation:z ${whole}ms step-end infinite}`,
        "#g{animation-name:g;transform-box:fill-box;transform-origin:0 0}",
        `@keyframes n{0%{transform:scale(1.3)}${share(moving)}%,to{transform:none}}`,
        `@keyframes f{0%{transform:scaleX(0)}${share(moving)}%,to{transform:none}}`,
        `@keyframes l{0%{opacity:1}${share(pace)}%,to{opacity:0}}`,
        `@keyframes z{0%{opacity:0}${share(pace * count)}%,to{opacity:1}}`,
        `@keyframes g{0%{transform:scaleX(0)}${share(pace * count)}%,to{transform:none}}`,
        `${plies.join("")}@media (prefers-reduced-motion:reduce){*{animation:none!important}}\n`,
      ].join("\n");
    }

    function film() {
      const pace = Math.max(FAST, Math.min(SLOW, Math.floor(WHOLE / Math.max(1, count))));
      const moving = Math.min(MOVE, Math.floor(pace / 2));
      const changes = read.plies.map((_, i) => positions[i + 1].flatMap((letter, at) => (letter === positions[i][at] ? [] : [at])));
      const turns = changes.reduce((sum, fields, i) => sum + fields.filter((at) => isTurned(i + 1, at)).length, 0) <= TURNING;
      const plies = changes.map((fields, i) => `<g id="p${i + 1}" class="p">${fields.map((at) => change(i + 1, at, turns)).join("")}</g>\n`);
      const texts = Array.from({ length: count + 1 }, (_, ply) => `<g id="l${ply}" class="${ply === count ? "z" : "l"}">${told(ply)}</g>\n`);
      const bar = `<rect id="g" x="${MARGIN}" y="${height - 12}" width="${width - 2 * MARGIN}" height="3" fill="#0b5f9e"/>\n`;
      // Written in one piece, the end tag would end the style of the page that contains this script.
      const styled = `<style>\n${style(pace, moving, pace * (count + 1) + REST)}<${"/style"}>\n`;
      return `${opening(styled)}${stones(positions[0])}${plies.join("")}${texts.join("")}${bar}</svg>\n`;
    }

    const still = (ply, caption) => `${opening("")}${stones(positions[ply])}${told(ply, caption)}\n</svg>\n`;

    return { film, height, still, width };
  }

  /** The result of a game with more than two seats, from the places of its seats: `1st seat 3, 2nd seat 1`. */
  function placing(places) {
    if (!Array.isArray(places)) return "void";
    const order = places.map((place, i) => [place, i + 1]).sort(([one], [other]) => one - other);
    return order.map(([place, seat]) => `${words.ordinal(place)} seat ${seat}`).join(", ");
  }

  return { of, placing };
})();
