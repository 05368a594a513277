// Ends its parent's processes if the parent is gone without having done so itself (kill -9, a crash). Lines on stdin:
// "watch <pid> <signal>" and "forget <pid>". The end of stdin is the parent's end.
const readline = require('node:readline');

const KILL_AFTER_MS = 10_000;
const POLL_MS = 100;
const watched = new Map(); // pid → the signal that asks it to stop

// The parent handles the terminal's signals and its own.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [verb, pid, signal] = line.split(' ');
    if (verb === 'watch') watched.set(Number(pid), signal);
    else watched.delete(Number(pid));
  })
  .on('close', () => {
    for (const [pid, signal] of [...watched].reverse()) send(pid, signal);
    const deadline = Date.now() + KILL_AFTER_MS;
    const timer = setInterval(() => {
      for (const pid of watched.keys()) if (!send(pid, 0)) watched.delete(pid);
      if (watched.size === 0) clearInterval(timer);
      else if (Date.now() > deadline) for (const pid of watched.keys()) send(pid, 'SIGKILL');
    }, POLL_MS);
  });

function send(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
