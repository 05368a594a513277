import { readProcessStat } from './processes';

describe('what Linux knows of a process', () => {
  it('is its parent, and processor time that agrees with what the process itself counts', () => {
    const before = { counted: process.cpuUsage(), read: readProcessStat(process.pid).cpuMs };
    let sum = 0;
    for (let i = 0; i < 5e7; i++) sum += i % 7;
    expect(sum).toBeGreaterThan(0);
    const { parent, cpuMs } = readProcessStat(process.pid);
    const { user, system } = process.cpuUsage(before.counted);
    expect(parent).toBe(String(process.ppid));
    const readMs = cpuMs - before.read;
    const countedMs = (user + system) / 1_000;
    // Threads may have ended, and ticks are coarse.
    expect(readMs).toBeGreaterThan(countedMs / 2);
    expect(readMs).toBeLessThan(countedMs * 2);
  });
});
