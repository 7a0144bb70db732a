// start.js: starts the script: unpacks the data, fills in the parts that need it, and shows what the address refers to.

(async () => {
  const { h, byId } = dom;

  /** Skips to the visible content: following the link would change the address, which determines what is shown. */
  function skip(event) {
    event.preventDefault();
    const main = byId("main");
    main.tabIndex = -1;
    main.focus();
  }

  document.documentElement.classList.add("js");
  const tools = h("div", { id: "tools" });
  byId("tabs").after(tools);
  byId("head").append(h("p", { id: "say", role: "status" }));
  document.body.append(h("p", { id: "toast", role: "status" }));
  for (const box of document.querySelectorAll(".scroll")) {
    if (!box.querySelector("a, button")) box.tabIndex = 0;
    dom.scrolls(box);
  }
  document.querySelector(".skip").addEventListener("click", skip);
  pageKeys.add();
  keys.start(tools);
  theme.start(tools);
  page.onchange(gamesTable.refresh);
  try {
    const data = await page.embedded();
    if (data) page.use(data);
  } catch (error) {
    for (const id of ["games", "viewer"]) byId(id)?.remove();
    tabs.start();
    dom.say(
      typeof DecompressionStream === "undefined"
        ? "This browser is too old to unpack the games (it lacks DecompressionStream); everything else is shown."
        : `The games in this file cannot be read (${error.message}); everything else is shown.`,
    );
    return;
  }
  // A live page has nothing to show before its server has sent the state.
  if (page.follow) page.follow();
  else tabs.start();
})();
