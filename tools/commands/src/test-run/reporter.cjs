const { appendFileSync } = require('node:fs');
const path = require('node:path');

/**
 * Adds each run's counts and failures to the file that FAREBOX_TEST_TALLY names, so that `npm test` can end with the
 * sum and the failures, however much was printed between them.
 */
module.exports = class TestTallyReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.FAREBOX_TEST_TALLY;
    if (!file) return;
    const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites } = results;
    const skipped = results.numPendingTests + results.numTodoTests;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const failures = results.testResults.flatMap(failuresOf);
    appendFileSync(file, `${JSON.stringify({ passed, failed, skipped, failures })}\n`);
  }
};

/** For a file that could not be loaded, the file itself. */
function failuresOf({ testFilePath, testResults, testExecError, failureMessage }) {
  const file = path.relative(path.join(__dirname, '../../../..'), testFilePath);
  if (testExecError) return [{ file, test: '', message: failureMessage ?? String(testExecError) }];
  return testResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({ file, test: fullName, message: failureMessages.join('\n') }));
}
