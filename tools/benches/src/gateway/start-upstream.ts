import path from 'node:path';
import { ServiceProcess, workspaceRoot } from '@farebox/local-services';
import type { Upstream } from './contestants/contestant';

export interface RunningUpstream extends Upstream {
  stop(): Promise<unknown>;
}

/** Starts the fast upstream in a process of its own. */
export async function startUpstream(): Promise<RunningUpstream> {
  const service = ServiceProcess.start({
    name: 'upstream',
    args: [path.join(workspaceRoot(), 'dist/benches/fast-upstream.js')],
  });
  const line = await service.until(service.output.waitForLine('"event":"ready"'));
  const { port } = JSON.parse(line) as { port: number };
  return { port, origin: `http://127.0.0.1:${String(port)}`, stop: () => service.stop() };
}
