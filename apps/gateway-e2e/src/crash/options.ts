import { readValues, wholeNumber } from '../command-line';

export interface CrashOptions {
  seed: string;
  rounds: number;
  gateways: number;
  clients: number;
  leaseMs: number;
  /** Folder for the processes' logs, if they are kept. */
  logFolder?: string | undefined;
}

export const HELP = `npm run crash-test                            crash the service under load, and compare the clients'
                                              results with the books
npm run crash-test -- --rounds 200 --seed 7   a longer run, with the choices of an earlier one

  --rounds <n>      faults, one after the other                   (60)
  --seed <text>     seed of the random choices                    (FAREBOX_TEST_SEED, else a new one)
  --gateways <n>    number of gateways                            (3)
  --clients <n>     clients that send requests without a pause    (24)
  --lease <ms>      time until a lost gateway's holds are swept   (3000)
  --logs <folder>   keep the logs of all processes there

It runs with its own PostgreSQL and Redis, and with the built gateway and worker as processes. In each round a gateway or
the worker is killed, a gateway is paused past its lease and resumed, PostgreSQL is crashed, or the ledger's connections
are ended. At the end every answer must have been charged exactly once, and nothing else.`;

/** `seed` is the default. Throws `OptionsError`. */
export function readOptions(args: string[], { seed }: { seed: string }): CrashOptions | 'help' {
  const values = readValues(args, {
    rounds: { type: 'string', default: '60' },
    seed: { type: 'string', default: seed },
    gateways: { type: 'string', default: '3' },
    clients: { type: 'string', default: '24' },
    lease: { type: 'string', default: '3000' },
    logs: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) return 'help';
  return {
    seed: values.seed,
    rounds: wholeNumber('rounds', values.rounds, 1),
    gateways: wholeNumber('gateways', values.gateways, 1),
    clients: wholeNumber('clients', values.clients, 1),
    leaseMs: wholeNumber('lease', values.lease, 1_000),
    logFolder: values.logs,
  };
}
