// @ts-check

/**
 * Says what a command that takes long is doing, with the seconds since it began, and says it again while nothing new is to
 * be said: a person can tell slow from stuck.
 * @param {(line: string) => void} print
 * @param {{ everyMs?: number, now?: () => number }} options
 */
export function createProgress(print, { everyMs = 10_000, now = () => performance.now() } = {}) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @param {string} line */
  const say = (line) => print(`[${String(Math.floor(now() / 1_000)).padStart(3)} s] ${line}`);
  const end = () => clearInterval(timer);
  return {
    say,
    /**
     * A step begins, which lasts until the next one or the end. `left` says, later, what of it is not done.
     * @param {string} what
     * @param {() => string} left
     */
    begin(what, left = () => what) {
      end();
      say(what);
      timer = setInterval(() => say(`still: ${left()}`), everyMs);
      timer.unref();
    },
    end,
  };
}
