import { spawnSync } from 'node:child_process';
import { endedChildrenCpuMs, readProcessStat } from './processes';

describe('the data of Linux about a process', () => {
  it("contain its parent, and processor time that agrees with the process's own count", () => {
    const before = { counted: process.cpuUsage(), read: readProcessStat(process.pid).cpuMs };
    // Long enough for Linux's clock ticks of 10 ms.
    while (process.cpuUsage(before.counted).user < 300_000);
    const { parent, cpuMs } = readProcessStat(process.pid);
    const { user, system } = process.cpuUsage(before.counted);
    expect(parent).toBe(String(process.ppid));
    const readMs = cpuMs - before.read;
    const countedMs = (user + system) / 1_000;
    // Threads may have ended, and ticks are coarse.
    expect(readMs).toBeGreaterThan(countedMs / 2);
    expect(readMs).toBeLessThan(countedMs * 2);
  });

  it('include the processor time of children that have ended', () => {
    const beforeMs = endedChildrenCpuMs(process.pid);
    spawnSync(process.execPath, ['-e', 'let sum = 0; for (let i = 0; i < 1e8; i++) sum += i % 7;']);
    expect(endedChildrenCpuMs(process.pid)).toBeGreaterThan(beforeMs);
  });
});
