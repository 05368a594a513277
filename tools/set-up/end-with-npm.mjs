import { readFileSync } from 'node:fs';

const POLL_MS = 500;

/**
 * Ends this process, as by SIGTERM, when the npm that started it is gone. npm starts a shell that starts this: the
 * shell passes no signal on, and does not notice when npm is killed.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}

/** Undefined where there is no such process, and always where the system has no /proc. */
function parentOf(pid) {
  try {
    // "pid (command) state parent …": the command may hold anything, parentheses included.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1];
  } catch {
    return undefined;
  }
}
