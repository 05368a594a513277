export { runTests, type TestRun } from './test-run/run-tests';
