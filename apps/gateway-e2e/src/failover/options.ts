import { readValues, wholeNumber } from '../command-line';

export interface FailoverOptions {
  seed: string;
  kills: number;
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

const DEBIAN_FOLDER = '/usr/lib/postgresql/18/bin';

export const HELP = `npm run failover-test                          kill the primary of a Patroni cluster under load, ten times, and compare
                                               the clients' results with the books (about 10 minutes)
npm run failover-test -- --kills 2 --json      a shorter run, with the result as JSON

  --kills <n>          number of times that the primary is killed      (10)
  --ttl <seconds>      Patroni's ttl; loop_wait is a tenth of it,
                       retry_timeout three eighths                     (20)
  --gateways <n>       number of gateways                              (2)
  --clients <n>        clients that send requests with a short pause   (16)
  --seed <text>        seed of the random choices                      (FAREBOX_TEST_SEED, else a new one)
  --postgres <folder>  bin folder of a complete PostgreSQL 18          (${DEBIAN_FOLDER})
  --logs <folder>      keep the logs of all processes there
  --json               the result as JSON on standard output, and progress on standard error

It needs Linux, patroni, etcd and haproxy (Debian's packages patroni, etcd-server and haproxy), and pg_basebackup and
pg_rewind, which the PostgreSQL of the tests does not have. It starts etcd, two Patroni nodes with synchronous_mode, and
HAProxy, which leads to the primary, on free ports of 127.0.0.1; then the built gateways and the worker on that address. For
each kill, PostgreSQL and Patroni of the primary are killed with SIGKILL, and started again when the service serves: the node
must become a synchronous standby before the next kill. At the end every answer must have been charged exactly once, and
nothing else.`;

/** `seed` is the default. Throws `OptionsError`. */
export function readOptions(args: string[], { seed }: { seed: string }): FailoverOptions | 'help' {
  const values = readValues(args, {
    kills: { type: 'string', default: '10' },
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
  return {
    seed: values.seed,
    kills: wholeNumber('kills', values.kills, 1),
    gateways: wholeNumber('gateways', values.gateways, 1),
    clients: wholeNumber('clients', values.clients, 1),
    ttlSeconds: wholeNumber('ttl', values.ttl, 8),
    postgresFolder: values.postgres,
    logFolder: values.logs,
    isJson: values.json,
  };
}
