const NodeEnvironment = require('jest-environment-node').default;

/** What jest-circus leaves in the global object, and would find there again for the next test file. */
const OF_ONE_FILE = /^(jest_state_symbol|event_handlers|test_timeout_symbol|.*retry.*)$/i;
/** Where `expect` has its matchers; it makes it once, and adds its own to it for each test file. */
const MATCHERS = Symbol.for('$$jest-matchers-object');

let kept;

function keep(environment) {
  kept = environment;
}

/**
 * One environment for all test files of a worker. Jest makes a new one for each, in which every package and library is
 * loaded again: a third of a run's processor time. See `runtime.cjs` for what this asks of the code.
 */
module.exports = class KeptEnvironment extends NodeEnvironment {
  constructor(config, context) {
    if (kept?.projectId === config.projectConfig.id) return kept;
    super(config, context);
    this.projectId = config.projectConfig.id;
    this.variables = { ...this.global.process.env };
    // Jest wraps it for each test file, so that it says who ended the process.
    this.exit = this.global.process.exit;
    /** By file, for the next runtime. */
    this.modules = new Map();
    this.sourceMaps = new Map();
    keep(this);
  }

  /** Whatever a test file has set is gone for the next: timers, environment variables, its tests and its matchers. */
  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    this.global.process.exit = this.exit;
    const { env } = this.global.process;
    for (const name of Object.keys(env)) if (!(name in this.variables)) delete env[name];
    Object.assign(env, this.variables);
    Object.assign(this.global[MATCHERS] ?? {}, { matchers: Object.create(null), customEqualityTesters: [] });
    for (const key of Object.getOwnPropertySymbols(this.global)) {
      if (OF_ONE_FILE.test(key.description)) delete this.global[key];
    }
  }
};
