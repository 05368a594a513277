import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import readline from 'node:readline';
import type { Readable } from 'node:stream';

const KEPT_LINES = 200;
const MAX_LINE_CHARS = 4_000;

type Listener = (line: string) => void;

/** What a process prints: every line goes to the log file, where there is one, and the last 200 are kept. */
export class ProcessOutput {
  private readonly lines: string[] = [];
  private readonly listeners = new Set<Listener>();
  private readonly file: number | undefined;

  constructor(logFile: string | undefined) {
    this.file = logFile === undefined ? undefined : openLog(logFile);
  }

  /** Reads `streams` until they end, then closes the log file. */
  follow(streams: readonly Readable[]): void {
    let open = streams.length;
    for (const stream of streams) {
      readline
        .createInterface({ input: stream })
        .on('line', (line) => {
          this.add(line);
        })
        .on('close', () => {
          open -= 1;
          if (open === 0 && this.file !== undefined) closeSync(this.file);
        });
    }
  }

  /** The last lines printed, oldest first. */
  last(count: number): string[] {
    return this.lines.slice(-count);
  }

  /** The first line, printed already or from now on, that contains `text`. Does not settle if none comes. */
  waitForLine(text: string): Promise<string> {
    const known = this.lines.find((line) => line.includes(text));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const listener = (line: string): void => {
        if (!line.includes(text)) return;
        this.listeners.delete(listener);
        resolve(line);
      };
      this.listeners.add(listener);
    });
  }

  /** Calls back with every line that is printed from now on. */
  onLine(listener: Listener): void {
    this.listeners.add(listener);
  }

  private add(line: string): void {
    if (this.file !== undefined) writeSync(this.file, `${line}\n`);
    this.lines.push(line.slice(0, MAX_LINE_CHARS));
    if (this.lines.length > KEPT_LINES) this.lines.shift();
    for (const listener of [...this.listeners]) listener(line);
  }
}

/** A new file: the one of an earlier run may be another user's. */
function openLog(logFile: string): number {
  rmSync(logFile, { force: true });
  return openSync(logFile, 'w', 0o600);
}
