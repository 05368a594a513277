import { createLogger } from '@farebox/observability';
import { logFailure } from './compose';

it.each([
  ['a charge that nobody tries again', 'reconcile-charge', true, 'error', 'job_given_up'],
  ['a job that this version does not know', 'make-coffee', true, 'error', 'job_given_up'],
  ['a periodic job, whose next run comes anyway', 'sweep-holds', true, 'warn', 'job_given_up'],
  ['an attempt that has another one', 'reconcile-charge', false, 'warn', 'job_failed'],
])('%s is logged by what is left to do', (_what, job, isGivenUp, level, event) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'debug', destination });
  logFailure(log, { job, id: '1', attempt: 5, isGivenUp, error: new Error('no database') });
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level, event, job }]);
});
