import { readValues, wholeNumber } from '../command-line';

export interface RevokeOptions {
  seed: string;
  rounds: number;
  gateways: number;
  clients: number;
  /** Folder for the processes' logs, if they are kept. */
  logFolder?: string | undefined;
}

export const HELP = `npm run revoke-test                            take keys away under load, and check that no gateway admits them
npm run revoke-test -- --rounds 60 --seed 7   a shorter run, with the choices of an earlier one

  --rounds <n>      number of changes; four of five are          (1260)
                    revocations and rotations
  --seed <text>     seed of the random choices                   (FAREBOX_TEST_SEED, else a new one)
  --gateways <n>    number of gateways                           (4)
  --clients <n>     clients that send requests without a pause   (12)
  --logs <folder>   keep the logs of all processes there

It runs with its own PostgreSQL and Redis, and with the built gateways and account service as processes. In each round a
key is revoked or rotated, its policy bars a model, or its account is suspended, while clients use it on every gateway.
Redis is stopped, silenced and started meanwhile. A request that starts after the answer to a change must be decided by
that change on every gateway, and a running answer continues to its end.`;

/** `seed` is the default. Throws `OptionsError`. */
export function readOptions(args: string[], { seed }: { seed: string }): RevokeOptions | 'help' {
  const values = readValues(args, {
    rounds: { type: 'string', default: '1260' },
    seed: { type: 'string', default: seed },
    gateways: { type: 'string', default: '4' },
    clients: { type: 'string', default: '12' },
    logs: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (values.help) return 'help';
  return {
    seed: values.seed,
    rounds: wholeNumber('rounds', values.rounds, 1),
    gateways: wholeNumber('gateways', values.gateways, 1),
    clients: wholeNumber('clients', values.clients, 1),
    logFolder: values.logs,
  };
}
