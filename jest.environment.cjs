const { TestEnvironment } = require('jest-environment-node');

const MOST_LINES = 20;

/** Adds the warnings and errors that services logged during a failed test to its failure, wherever that is printed. */
module.exports = class extends TestEnvironment {
  #begunAt = 0;

  handleTestEvent({ name, error }) {
    const lines = this.global.loggedLines ?? [];
    if (name === 'test_start') this.#begunAt = lines.length;
    if (!name.endsWith('_failure') || typeof error?.stack !== 'string') return;
    const serious = lines.slice(this.#begunAt).filter((line) => /"level":"(warn|error)"/.test(line));
    if (serious.length > 0) error.stack += `\n\nLogged meanwhile:\n${serious.slice(-MOST_LINES).join('')}`;
  }
};
