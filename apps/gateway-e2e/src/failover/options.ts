import { OptionsError, readValues, wholeNumber } from '../command-line';

/** Faults of a node of the cluster, or of the network between them. */
const FAULT_KINDS = [
  'primary-killed',
  'primary-frozen',
  'primary-disk-full',
  'standby-killed',
  'standby-frozen',
  'nodes-cut',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FailoverOptions {
  seed: string;
  fault: FaultKind;
  /** How often. */
  times: number;
  gateways: number;
  clients: number;
  /** Patroni's `ttl`: a primary that was not heard of for this long is replaced. */
  ttlSeconds: number;
  /** The folder of PostgreSQL's programs. */
  postgresFolder: string;
  /** Folder for the processes' logs, if they are kept. */
  logFolder?: string | undefined;
  isJson: boolean;
}

/** How long a disk stays full. */
export const FULL_SECONDS = 30;

const DEBIAN_FOLDER = '/usr/lib/postgresql/18/bin';

export const HELP = `npm run failover-test                          kill the primary of a Patroni cluster under load, ten times, and compare
                                               the clients' results with the books (about 10 minutes)
npm run failover-test -- --times 2 --json      a shorter run, with the result as JSON

  --fault <kind>       ${FAULT_KINDS.slice(0, 4).join(', ')},
                       ${FAULT_KINDS.slice(4).join(', ')}                       (primary-killed)
  --times <n>          how often                                       (10)
  --ttl <seconds>      Patroni's ttl; loop_wait is a tenth of it,
                       retry_timeout three eighths                     (20)
  --gateways <n>       number of gateways                              (2)
  --clients <n>        clients that send requests with a short pause   (16)
  --seed <text>        seed of the random choices                      (FAREBOX_TEST_SEED, else a new one)
  --postgres <folder>  bin folder of a complete PostgreSQL 18          (${DEBIAN_FOLDER})
  --logs <folder>      keep the logs of all processes there
  --json               the result as JSON on standard output, and progress on standard error

It needs Linux, patroni, etcd and haproxy (Debian's packages patroni, etcd-server and haproxy), and pg_basebackup and
pg_rewind, which the PostgreSQL of the tests does not have. Debian 12's Patroni 3.0.2 fails with primary-frozen, 4.0.7 passes.

It starts etcd, two Patroni nodes with synchronous_mode, and HAProxy, which leads to the primary, on free ports of 127.0.0.1;
then the built gateways and the worker on that address. Each time, PostgreSQL and Patroni of a node are killed, or frozen: they
do nothing and keep their connections, like a machine that is cut off. With nodes-cut nothing passes between the two nodes,
while both reach etcd. With primary-disk-full, which needs root, the nodes' disks are small (tmpfs), and the primary's is full
for ${String(FULL_SECONDS)} seconds. The fault ends when the service serves, and there must be a synchronous standby before the next time. At
the end every answer must have been charged exactly once, and nothing else.`;

/** `seed` is the default. Throws `OptionsError`. */
export function readOptions(args: string[], { seed }: { seed: string }): FailoverOptions | 'help' {
  const values = readValues(args, {
    fault: { type: 'string', default: 'primary-killed' },
    times: { type: 'string', default: '10' },
    ttl: { type: 'string', default: '20' },
    gateways: { type: 'string', default: '2' },
    clients: { type: 'string', default: '16' },
    seed: { type: 'string', default: seed },
    postgres: { type: 'string', default: DEBIAN_FOLDER },
    logs: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) return 'help';
  const fault = FAULT_KINDS.find((kind) => kind === values.fault);
  if (!fault) throw new OptionsError(`--fault takes ${FAULT_KINDS.join(', ')}`);
  return {
    seed: values.seed,
    fault,
    times: wholeNumber('times', values.times, 1),
    gateways: wholeNumber('gateways', values.gateways, 1),
    clients: wholeNumber('clients', values.clients, 1),
    ttlSeconds: wholeNumber('ttl', values.ttl, 8),
    postgresFolder: values.postgres,
    logFolder: values.logs,
    isJson: values.json,
  };
}
