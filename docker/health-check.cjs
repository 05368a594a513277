// Whether the service of this container responds: `node health-check.cjs <variable with its port> <path>
// [--any-answer]`. Exit code 0 for a status of 2xx, or for any status with --any-answer. Docker has no use for the
// reason.
const http = require('node:http');

const TIMEOUT_MS = 3_000;
const [variable, path, anyAnswer] = process.argv.slice(2);

const request = http.get(
  { host: '127.0.0.1', port: process.env[variable], path, timeout: TIMEOUT_MS },
  ({ statusCode }) => {
    process.exit(anyAnswer === '--any-answer' || (statusCode >= 200 && statusCode < 300) ? 0 : 1);
  },
);
request.on('timeout', () => request.destroy(new Error('no answer in time')));
request.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
