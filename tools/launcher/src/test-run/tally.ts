import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const countsSchema = z.object({ passed: z.int(), failed: z.int(), skipped: z.int() });

export type Tally = z.infer<typeof countsSchema>;

/** The sum of what every Jest run has written to the tally file. */
export function readTally(file: string): Tally {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const line of lines) {
    const counts = countsSchema.parse(JSON.parse(line));
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    sum.skipped += counts.skipped;
  }
  return sum;
}

/** `12 passed, 1 failed`, and what was skipped where something was. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  const counts = `${String(passed)} passed, ${String(failed)} failed`;
  return skipped > 0 ? `${counts}, ${String(skipped)} skipped` : counts;
}
