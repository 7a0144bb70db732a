// sound.js: two soft sounds: one for a stone that is placed, and one for stones that are captured. They are off until
// the reader turns them on.

const sound = (() => {
  let context = null;
  let isOn = false;

  /** A short tone of `pitch` hertz, `delay` seconds from now. */
  function tone(pitch, delay, loud) {
    const [from, volume] = [context.createOscillator(), context.createGain()];
    const begin = context.currentTime + delay;
    from.type = "triangle";
    from.frequency.setValueAtTime(pitch, begin);
    from.frequency.exponentialRampToValueAtTime(pitch / 2, begin + 0.08);
    volume.gain.setValueAtTime(loud, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + 0.09);
    from.connect(volume).connect(context.destination);
    from.start(begin);
    from.stop(begin + 0.1);
  }

  /** Plays the sounds of a ply with these `parts`. */
  function play(parts) {
    if (!isOn || !parts.length) return;
    tone(420, 0, 0.12);
    if (parts.some(({ flips, gone = [] }) => flips.length + gone.length)) tone(620, 0.09, 0.08);
  }

  function toggle() {
    isOn = !isOn;
    if (isOn) context ??= new AudioContext();
    dom.toast(isOn ? "Sound is on." : "Sound is off.");
  }

  return { play, toggle };
})();
