const POLL_MS = 500;

/**
 * Ends this process, as by SIGTERM, when the npm that started it is gone. npm passes SIGTERM on to the shell between
 * the two, and the shell ends without passing it on.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, POLL_MS);
  timer.unref();
}
