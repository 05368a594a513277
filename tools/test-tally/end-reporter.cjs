const DEFAULT_WAIT_MS = 30_000;

/**
 * Ends a process that still has something open long after its last test, as failed, and says what is open: jest would
 * wait for ever, and the whole run with it. Takes `waitMs`.
 */
module.exports = class EndReporter {
  constructor(_globalConfig, { waitMs = DEFAULT_WAIT_MS } = {}) {
    this.waitMs = waitMs;
  }

  onRunComplete() {
    const end = () => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have left something open, and their process does not end: ${open}\n`);
      process.exit(1);
    };
    // Unreferenced: it fires only where something else keeps the process alive.
    setTimeout(end, this.waitMs).unref();
  }
};
