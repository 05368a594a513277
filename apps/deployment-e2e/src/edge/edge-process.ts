import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePorts,
  locateEdgePrograms,
  ServiceProcess,
  thisMachine,
  waitForHttp,
  workspaceRoot,
} from '@farebox/local-services';

/** HAProxy with the configuration file of the compose file's edges. */
const PROGRAMS = locateEdgePrograms(thisMachine(() => undefined));
const CONFIG = join(workspaceRoot(), 'docker/edge/haproxy.cfg');

/** Nothing listens there. */
export const UNREACHABLE = '127.0.0.1:1';

export interface EdgeProcess {
  port: number;
  url: string;
  /** `stop` cuts its connections. */
  process: ServiceProcess;
}

/** How the image is stopped: it takes no more connections, and lets those that it has end. */
export const STOP_SIGNAL = 'SIGUSR1';

/** Starts an edge; `env` is that of compose.yaml. `port`: that of another edge, which serves beside it. */
export async function startEdge(
  env: Record<string, string> = {},
  port?: number,
  config = CONFIG,
): Promise<EdgeProcess> {
  const [free = 0, probe = 0] = await freePorts(2);
  const served = port ?? free;
  const process = ServiceProcess.start({
    name: 'edge',
    command: PROGRAMS.haproxy,
    // A master that starts workers, as in the image.
    args: ['-W', '-db', '-f', config],
    env: {
      FAREBOX_EDGE_CERTIFICATE: 'none',
      FAREBOX_EDGE_CONNECTIONS: '500',
      FAREBOX_EDGE_CONNECTIONS_PER_ADDRESS: '500',
      FAREBOX_EDGE_ACCOUNT_1: UNREACHABLE,
      FAREBOX_EDGE_ACCOUNT_2: UNREACHABLE,
      FAREBOX_EDGE_GATEWAY_1: UNREACHABLE,
      FAREBOX_EDGE_GATEWAY_2: UNREACHABLE,
      FAREBOX_EDGE_TRUSTED_PROXIES: 'none',
      ...env,
      FAREBOX_EDGE_BIND: `127.0.0.1:${String(served)}`,
      FAREBOX_EDGE_PROBE_BIND: `127.0.0.1:${String(probe)}`,
    },
  });
  await process.until(waitForHttp(`http://127.0.0.1:${String(probe)}/`));
  // Not of services that are down, or not known yet.
  const warnings = process.output
    .last(Infinity)
    .filter((line) => line.includes(' config : ') && !line.includes('could not resolve address'));
  if (warnings.length > 0) throw new Error(warnings.join('\n'));
  return { port: served, url: `http://127.0.0.1:${String(served)}`, process };
}

/**
 * Runs `use` with the configuration file, in which `nameserver` is asked in place of the machine's own: a container's
 * is the engine's.
 */
export async function withNameServer<T>(nameserver: string, use: (config: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-edge-'));
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(
    config,
    readFileSync(CONFIG, 'utf8').replace('parse-resolv-conf', `nameserver engine ${nameserver}`),
  );
  try {
    return await use(config);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sends bytes, and returns everything that the edge sends until it closes. */
export function exchange(port: number, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    connect(port, '127.0.0.1')
      .on('data', (part) => (received += String(part)))
      .on('close', () => {
        resolve(received);
      })
      .on('error', reject)
      .write(sent);
  });
}

/** A certificate for 127.0.0.1 that has signed itself, and its key, as the edge reads them. */
export function certificate(name: string): string {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-days', '2', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const { status, stdout, stderr } = spawnSync(PROGRAMS.openssl, [...args, ...subject, '-keyout', '-'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
