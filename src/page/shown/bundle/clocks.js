// clocks.js: time controls and remaining times, as text. Pure; it also runs under node. All times are whole
// microseconds, so that periods can be counted exactly.

const clocks = (() => {
  const TEXT = /^([\d.]+)(?:\+([\d.]+)|:(\d+)x([\d.]+)|(\/move)(?:\+([\d.]+)bank)?)?$/;
  const SECOND = 1e6;
  /** A side with less time than this is short of time. */
  const SHORT = 10 * SECOND;

  let usual = null;

  /** Reads the time controls of most games from the page's `data`. */
  function use(data) {
    usual = data.clocks ?? null;
  }

  const micros = (seconds = "0") => Math.round(seconds * SECOND);

  /**
   * Parses a time control, or a remaining time, as game logs write it. Parts that the control lacks are zero: `60+1`
   * has a time and an increment, `600:5x30` has a time and periods, and `1/move+9bank` has a time for each move and
   * a bank.
   */
  function parse(text) {
    const [, first, increment, periods, period, perMove, bank] = TEXT.exec(text);
    const time = micros(first);
    return {
      time: perMove ? 0 : time,
      increment: micros(increment),
      periods: Number(periods ?? 0),
      period: micros(period),
      move: perMove ? time : 0,
      bank: micros(bank),
    };
  }

  /** The time control of seat `side` (0 is black) in the game of `entry`, or in most games; `null` without clocks. */
  function control(side, entry = []) {
    const texts = entry[12]?.clocks === undefined ? usual : entry[12].clocks;
    // With more than two seats, all have the same clock.
    return texts && parse(texts[side] ?? texts[0]);
  }

  /** How much time a side may use before its flag falls. */
  const allowance = ({ time, periods, period, move, bank }) => time + periods * period + move + bank;

  /** The remaining part of the control `all` when its allowance has fallen to `rest`. */
  function remaining(all, rest) {
    if (all.move) return { ...all, bank: Math.max(0, rest - all.move) };
    if (!all.period) return { ...all, time: rest };
    return { ...all, time: Math.max(0, rest - all.periods * all.period), periods: Math.min(all.periods, Math.ceil(rest / all.period)) };
  }

  /** The part of the control `all` that remains after a turn that began with `left` and took `elapsed`. */
  function after(all, left, elapsed) {
    const rest = Math.max(0, allowance(left) - elapsed);
    if (all.move) return { ...left, bank: Math.min(left.bank, rest) };
    if (!all.period) return { ...left, time: rest + all.increment };
    if (rest >= all.periods * all.period) return remaining(all, rest);
    // The period in which the turn ended is restored in full.
    return { ...left, time: 0, periods: Math.min(left.periods, Math.floor(rest / all.period) + 1) };
  }

  /**
   * The remaining time of each seat before each of `plies`, and after the last ply; `null` without clocks, and after
   * the first ply whose time is unknown. The first `given` plies are an opening.
   */
  function history(controls, plies, given) {
    const seats = codes.seats();
    const left = Object.fromEntries(seats.map((seat, i) => [seat, controls[i]]));
    const list = [{ ...left }];
    plies.forEach(({ side, time }, i) => {
      const all = controls[seats.indexOf(side)];
      if (i >= given) left[side] = left[side] && time !== null ? after(all, left[side], time) : null;
      list.push({ ...left });
    });
    return list;
  }

  /**
   * A time that runs down: `1:05`, rounded to the nearest second, since a page knows times only to about 0.3%; and
   * `0:07.3` below ten seconds.
   */
  function countdown(rest) {
    if (rest < SHORT) return `0:0${(Math.floor(rest / (SECOND / 10)) / 10).toFixed(1)}`;
    const seconds = Math.round(rest / SECOND);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }

  /** A fixed time: `30s`, `0.5s`. */
  const fixed = (time) => `${time / SECOND}s`;

  /**
   * The clock of a side that had `left` of its control `all` when its turn began, and has used `spent` since then:
   * `1:05`, `1:05 + 1s`, `1:05 + 5 x 30s`, `0:23, 3 periods`, `0:00.4, bank 0:42`.
   */
  function shown(all, left, spent = 0) {
    const rest = Math.max(0, allowance(left) - spent);
    if (all.move) {
      const now = countdown(Math.max(0, all.move - spent));
      return all.bank ? `${now}, bank ${countdown(Math.min(left.bank, rest))}` : now;
    }
    if (!all.period) return countdown(rest) + (all.increment ? ` + ${fixed(all.increment)}` : "");
    const main = rest - left.periods * all.period;
    if (main > 0) return `${countdown(main)} + ${left.periods} x ${fixed(all.period)}`;
    const periods = Math.max(1, Math.ceil(rest / all.period));
    return `${countdown(rest - (periods - 1) * all.period)}, ${periods > 1 ? `${periods} periods` : "last period"}`;
  }

  /** The text between two turns for `left`, the remaining part of `all`; empty if every move has the same time. */
  function rest(all, left) {
    if (all.move) return all.bank ? `${countdown(left.bank)} in the bank` : "";
    return all.period && !left.time ? `${left.periods} x ${fixed(all.period)}` : shown(all, left);
  }

  /**
   * Whether a side is about to lose on time. A time that is restored with every move (a last period, or the time for a
   * move) is short when two thirds of it are used up; any other time is short when less than ten seconds are left.
   */
  function isShort(all, left, spent = 0) {
    const again = all.period || (left.bank ? 0 : all.move);
    return allowance(left) - spent < Math.min(SHORT, again ? again / 3 : SHORT);
  }

  return { control, history, isShort, parse, rest, shown, use };
})();
