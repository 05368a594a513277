import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';

const failureSchema = z.object({ file: z.string(), test: z.string(), message: z.string() });

const runSchema = z.object({
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  failures: z.array(failureSchema),
});

/** A test that failed; without a name, a file whose tests could not be run. */
export type TestFailure = z.infer<typeof failureSchema>;

/** For one Jest run, or for all of them. */
export type Tally = z.infer<typeof runSchema>;

/** The sum of all Jest runs in the tally file. */
export function readTally(file: string): Tally {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const sum: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const line of lines) {
    const run = runSchema.parse(JSON.parse(line));
    sum.passed += run.passed;
    sum.failed += run.failed;
    sum.skipped += run.skipped;
    sum.failures.push(...run.failures);
  }
  return sum;
}

/** `12 passed, 1 failed`, and skipped ones if there are any. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  const counts = `${String(passed)} passed, ${String(failed)} failed`;
  return skipped > 0 ? `${counts}, ${String(skipped)} skipped` : counts;
}

/** Enough of a message for the expected and the actual value, and the position; a snapshot can have thousands. */
const MOST_LINES = 40;

/** A frame of a stack trace within a package. */
const FRAME_OF_PACKAGE = /^ +at .*node_modules/;

/** A failure as `npm test` repeats it at its end, without colours and the test runner's own frames. */
export function describeFailure({ file, test, message }: TestFailure): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => !FRAME_OF_PACKAGE.test(line));
  const left = lines.length - MOST_LINES;
  const shown = left > 0 ? [...lines.slice(0, MOST_LINES), `… ${String(left)} more lines`] : lines;
  return [`Failed: ${file}${test && `: ${test}`}`, ...shown.map((line) => `  ${line}`)].join('\n');
}
