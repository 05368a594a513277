import path from 'node:path';
import { freePort, ServiceProcess, workspaceRoot } from '@farebox/local-services';
import { waitForPort } from '../wait-for-port';
import { PATH, type Contestant, type Upstream } from './contestant';

/** The upstream itself, with nothing in front. */
export function direct(upstream: Upstream): Contestant {
  return {
    name: 'direct',
    port: upstream.port,
    path: PATH,
    headers: {},
    processes: [],
    stop: () => Promise.resolve(),
  };
}

/** A bare proxy: a script of this bench, see its header. */
export async function bareProxy(
  name: string,
  script: 'dispatch-proxy' | 'request-proxy',
  upstream: Upstream,
): Promise<Contestant> {
  const port = await freePort();
  const service = ServiceProcess.start({
    name,
    args: [path.join(workspaceRoot(), 'dist/benches/contestants', `${script}.js`)],
    env: { PORT: String(port), UPSTREAM_ORIGIN: upstream.origin },
  });
  await service.until(waitForPort(port));
  return {
    name,
    port,
    path: PATH,
    headers: {},
    processes: [service],
    async stop() {
      await service.stop();
    },
  };
}
