import { toUnixSeconds } from '@farebox/api';
import type { Verbs } from '../verb';
import { describeStatus, toStatusReport } from './status-report';

export const statusCommands: Verbs = {
  status: {
    help:
      'show the state of the service: queues, holds, upstreams, gateways, lag, versions. Reads REDIS_URL as the worker does; ' +
      'exit code 1 if the queues cannot be read.',
    examples: ['admin status', 'admin status --json'],
    run:
      ({ read, environment, hasUpstreamSecrets }) =>
      () =>
        read(async (pool) => {
          const { readStatus } = await import('./read-status');
          const status = await readStatus(pool, environment, hasUpstreamSecrets ? environment : undefined);
          const json = toStatusReport(status);
          const text = describeStatus(json, toUnixSeconds(new Date()));
          return { json, text, exitCode: json.queues.queues === null ? 1 : 0 };
        }),
  },
};
