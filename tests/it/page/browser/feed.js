// Replaces the server of a live page: the test emits its events, and time stands still unless the test advances it.

window.feeds = [];
window.games = {};
window.time = 1_000_000_000_000;
Date.now = () => window.time;

window.EventSource = class extends EventTarget {
  static CLOSED = 2;

  constructor(url) {
    super();
    this.url = url;
    this.readyState = 1;
    window.feeds.push(this);
    setTimeout(() => this.onopen?.());
  }

  close() {
    this.readyState = 2;
  }
};

window.emit = (kind, data) => {
  for (const feed of window.feeds.filter(({ readyState }) => readyState === 1)) {
    feed.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
  }
};

window.fetch = async (url) => ({ ok: url in window.games, status: 404, json: async () => window.games[url] });
