// dom.js: makes elements. Text is only added to the document as text nodes, and links only lead to this page.

const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  function set(node, name, value) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "href" && !value.startsWith("#")) throw new Error("links only lead to this page");
    else if (value === true) node.setAttribute(name, "");
    else if ((value ?? false) !== false) node.setAttribute(name, value);
  }

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) set(node, name, value);
    node.append(...children.flat().filter((child) => (child ?? false) !== false));
    return node;
  }

  /** An element with `attributes` (`onclick` and the like are listeners) and `children`; strings become text. */
  const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

  /** Like `h`, but for SVG elements. */
  const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** A button with the text `label`; `key` is the equivalent key. */
  function button(label, key, onclick, attributes = {}) {
    const hint = key ? h("kbd", { "aria-hidden": "true" }, key) : null;
    return h(
      "button",
      { type: "button", onclick, "aria-keyshortcuts": key || null, ...attributes },
      ...[label].flat(),
      hint,
    );
  }

  const ICONS = {
    first: "M5 4v12M16 4l-8 6 8 6z",
    back: "M13 4l-8 6 8 6z",
    play: "M6 3l10 7-10 7z",
    pause: "M5 4h4v12H5zM11 4h4v12h-4z",
    on: "M7 4l8 6-8 6z",
    last: "M15 4v12M4 4l8 6-8 6z",
  };

  const icon = (name) =>
    s(
      "svg",
      { viewBox: "0 0 20 20", width: 20, height: 20, class: "icon", "aria-hidden": "true" },
      s("path", { d: ICONS[name] }),
    );

  const byId = (id) => document.getElementById(id);

  /** Shows `text` in the line under the heading, which screen readers announce. */
  function say(text) {
    byId("say").textContent = text;
  }

  let fading = null;

  /** Shows `text` over the page for `time` milliseconds, without moving its contents. */
  function toast(text, time = 4_000) {
    const node = byId("toast");
    node.textContent = text;
    clearTimeout(fading);
    fading = setTimeout(() => (node.textContent = ""), time);
  }

  /** The boxes that may scroll. */
  const BOXES = ".scroll, .fades";

  /** Marks whether the content of `box` fits sideways, and whether part of it is beyond the right or the lower edge. */
  function mark(box) {
    box.classList.toggle("below", box.clientHeight > 0 && box.scrollHeight - box.clientHeight - box.scrollTop > 1);
    box.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
    box.classList.toggle("fits", box.clientWidth > 0 && box.scrollWidth <= box.clientWidth);
  }

  const scrolled = ({ target }) => mark(target);
  let sizes = null;

  /** Keeps the marks of `box`, which may scroll, up to date. Returns `box`. */
  function scrolls(box) {
    sizes ??= new ResizeObserver((changed) => new Set(changed.map(({ target }) => target.closest(BOXES))).forEach((one) => one && mark(one)));
    box.addEventListener("scroll", scrolled, { passive: true });
    [box, ...box.children].forEach((node) => sizes.observe(node));
    return box;
  }

  /** The text `name`, which a narrow table may break after `_`, `.` and `-`. */
  const breakable = (name) =>
    name.split(/(?<=[_.-])/).flatMap((piece, i) => (i ? [h("wbr"), piece] : [piece]));

  const BACK_QUOTE = "\u0060";

  const words = (text) => text.split(" ").flatMap((word, i) => (i ? [" ", h("span", {}, word)] : [h("span", {}, word)]));

  /**
   * The nodes of the sentence `text`, in which code is between back-quotes. Within code, lines break only between
   * words.
   */
  function prose(text) {
    const pieces = text.split(BACK_QUOTE);
    const unpaired = pieces.length % 2 ? null : BACK_QUOTE + pieces.pop();
    const nodes = pieces.map((piece, i) => (i % 2 ? h("code", {}, ...(piece.includes(" ") ? words(piece) : [piece])) : piece));
    return unpaired === null ? nodes : [...nodes, unpaired];
  }

  return { breakable, button, byId, h, icon, prose, s, say, scrolls, toast };
})();
