import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import path from 'node:path';

/**
 * Loaded into a process with `--require`. SIGUSR2 begins a CPU profile; the next one ends it and writes it into the
 * working directory. What was done is told on standard error, one JSON line each.
 */

const SAMPLE_EVERY_US = 500;

const session = new Session();
session.connect();
let isRunning = false;

function tell(line: object): void {
  process.stderr.write(`${JSON.stringify(line)}\n`);
}

process.on('SIGUSR2', () => {
  if (isRunning) end();
  else begin();
  isRunning = !isRunning;
});

function begin(): void {
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  session.post('Profiler.start', () => {
    tell({ event: 'profile_begun' });
  });
}

function end(): void {
  session.post('Profiler.stop', (error, result) => {
    if (error) throw error;
    const file = path.resolve('bench.cpuprofile');
    writeFileSync(file, JSON.stringify(result.profile));
    tell({ event: 'profile_written', file });
  });
}
