import { readFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot, type ServiceProcess } from '@farebox/local-services';
import type { CpuProfile } from './cpu-profile';

/** Of a Node process that `startProfile` is to profile. */
export const PROFILER_OPTIONS = ['--require', path.join(workspaceRoot(), 'dist/benches/cpu-profiler.js')];

/** Begins a CPU profile of a process. Answers with what ends it and reads it. One in the life of a process. */
export async function startProfile(service: ServiceProcess): Promise<() => Promise<CpuProfile>> {
  service.signal('SIGUSR2');
  await service.until(service.output.waitForLine('"event":"profile_begun"'));
  return async () => {
    service.signal('SIGUSR2');
    const line = await service.until(service.output.waitForLine('"event":"profile_written"'));
    const { file } = JSON.parse(line) as { file: string };
    return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  };
}
