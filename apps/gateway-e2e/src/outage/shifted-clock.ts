import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A clock of a process that is off. */
export interface ShiftedClock {
  /** The environment of the process. */
  env: Readonly<Record<string, string>>;
  remove(): void;
}

/** What Node is to load before the app. */
const programOf = (shiftMs: number): string => `
const Right = Date;
globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(Right.now() + ${String(shiftMs)});
  }
  static now() {
    return Right.now() + ${String(shiftMs)};
  }
};`;

/** A clock that is off by this much, on the wall; durations are right. */
export function shiftClock(shiftMs: number): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-clock-'));
  const file = join(folder, 'clock.cjs');
  writeFileSync(file, programOf(shiftMs));
  return {
    env: { NODE_OPTIONS: `--require=${file}` },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
