import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A clock of a process that is off. */
export interface ShiftedClock {
  /** The environment of the process. */
  env: Readonly<Record<string, string>>;
  /** Sets the clock of the running process, which notices it a little later. */
  set(shiftMs: number): void;
  remove(): void;
}

/** What Node is to load before the app. */
const programOf = (file: string): string => `
const { readFileSync } = require('node:fs');
const Right = Date;
const read = () => Number(readFileSync(${JSON.stringify(file)}, 'utf8'));
let shiftMs = read();
setInterval(() => (shiftMs = read()), 20).unref();
globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(Right.now() + shiftMs);
  }
  static now() {
    return Right.now() + shiftMs;
  }
};`;

/** A clock that is off by this much, on the wall; durations are right. */
export function shiftClock(shiftMs: number): ShiftedClock {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-clock-'));
  const shift = join(folder, 'shift');
  const program = join(folder, 'clock.cjs');
  const set = (ms: number): void => {
    // In one step: the process must never read half of it.
    writeFileSync(`${shift}.new`, String(ms));
    renameSync(`${shift}.new`, shift);
  };
  set(shiftMs);
  writeFileSync(program, programOf(shift));
  return {
    env: { NODE_OPTIONS: `--require=${program}` },
    set,
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
