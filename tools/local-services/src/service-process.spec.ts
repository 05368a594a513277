import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ServiceExitError, ServiceProcess } from './service-process';

const started: ServiceProcess[] = [];

function start(script: string, logFile?: string): ServiceProcess {
  const options = logFile === undefined ? {} : { logFile };
  const service = ServiceProcess.start({ name: 'probe', args: ['-e', script], ...options });
  started.push(service);
  return service;
}

afterEach(async () => {
  for (const service of started) service.kill();
  await Promise.all(started.splice(0).map((service) => service.exited));
});

it('returns the lines that the process prints, and writes them to the log file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-'));
  const logFile = path.join(folder, 'probe.log');

  const service = start('console.log("one"); console.error("two"); console.log("three")', logFile);
  await service.exited;

  expect(service.output.last(10).sort()).toEqual(['one', 'three', 'two']);
  expect(readFileSync(logFile, 'utf8').split('\n').filter(Boolean).sort()).toEqual(['one', 'three', 'two']);
  rmSync(folder, { recursive: true });
});

it('waits for a line, printed before or after the call', async () => {
  const service = start('console.log("ready now"); setInterval(() => {}, 1000)');

  expect(await service.until(service.output.waitForLine('ready'))).toBe('ready now');
  expect(await service.until(service.output.waitForLine('now'))).toBe('ready now');
});

it('reports the last lines of a process that ends before it is ready', async () => {
  const service = start('console.error("no such table"); process.exit(3)');

  const waiting = service.until(service.output.waitForLine('ready'));

  await expect(waiting).rejects.toThrow(ServiceExitError);
  await expect(waiting).rejects.toThrow(/probe ended with exit code 3; its last lines:\nno such table/);
});

it('reports that a process cannot be started', async () => {
  const service = ServiceProcess.start({ name: 'probe', command: '/nonexistent/program', args: [] });

  await expect(service.until(service.output.waitForLine('ready'))).rejects.toThrow(
    /probe could not be started/,
  );
  expect(service.running).toBe(false);
});

it('stops a process by SIGTERM, with the exit code that it chooses', async () => {
  const service = start(
    'process.on("SIGTERM", () => process.exit(0)); console.log("ready"); setInterval(() => {}, 1000)',
  );
  await service.output.waitForLine('ready');

  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

it('kills a process that does not stop within the bound', async () => {
  const service = start('process.on("SIGTERM", () => {}); console.log("ready"); setInterval(() => {}, 1000)');
  await service.output.waitForLine('ready');

  expect(await service.stop(100)).toEqual({ code: null, signal: 'SIGKILL' });
});
