const { appendFileSync } = require('node:fs');

/** Adds each run's counts to the file that FAREBOX_TEST_TALLY names, so that `npm test` can add them up. */
module.exports = class TestTallyReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.FAREBOX_TEST_TALLY;
    if (!file) return;
    const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites } = results;
    const skipped = results.numPendingTests + results.numTodoTests;
    appendFileSync(
      file,
      `${JSON.stringify({ passed, failed: numFailedTests + numRuntimeErrorTestSuites, skipped })}\n`,
    );
  }
};
