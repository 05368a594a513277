const path = require('node:path');

const DEFAULT_WAIT_MS = 30_000;
const ROOT = path.join(__dirname, '../../../..');

/**
 * Ends a process that still has open handles long after its last test, as failed, and reports them and the test file:
 * Jest would wait forever, and the whole run with it. Takes `waitMs`.
 */
module.exports = class EndReporter {
  /** Test files by the handles that were first seen open after them. */
  files = new WeakMap();

  constructor(_globalConfig, { waitMs = DEFAULT_WAIT_MS } = {}) {
    this.waitMs = waitMs;
    for (const handle of openHandles()) this.files.set(handle, undefined);
  }

  onTestFileResult({ path: file }) {
    for (const handle of openHandles()) {
      if (!this.files.has(handle)) this.files.set(handle, path.relative(ROOT, file));
    }
  }

  onRunComplete() {
    const end = () => {
      const lines = openHandles().map((handle) => {
        const file = this.files.get(handle);
        return `  ${describe(handle)}${file === undefined ? '' : `, since ${file}`}\n`;
      });
      const kinds = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(
        `The tests have left something open, and their process does not end: ${kinds}\n${[...new Set(lines)].join('')}`,
      );
      process.exit(1);
    };
    // Unreferenced: it fires only if something else keeps the process alive.
    setTimeout(end, this.waitMs).unref();
  }
};

/** Sockets, servers and processes; not timers, which Node does not show, nor this process's output. */
function openHandles() {
  return process._getActiveHandles().filter(({ fd }) => fd === undefined || fd < 0 || fd > 2);
}

function describe(handle) {
  const kind = handle.constructor.name;
  if (handle.spawnargs) return `${kind} ${handle.pid}: ${handle.spawnargs.join(' ').slice(0, 200)}`;
  if (handle.remotePort) return `${kind} to ${handle.remoteAddress}:${handle.remotePort}`;
  const address = typeof handle.address === 'function' ? handle.address() : undefined;
  return address?.port ? `${kind} on port ${address.port}` : kind;
}
