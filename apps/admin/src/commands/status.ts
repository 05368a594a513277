import { toUnixSeconds } from '@farebox/contracts';
import type { Command } from 'commander';
import type { Program } from '../command-run';
import { readJobBackend } from '../config';
import { describeStatus } from '../status/describe-status';
import { readStatus } from '../status/read-status';
import { toStatusReport } from '../status/status-report';

export function addStatusCommand(root: Command, { read, surroundings }: Program): void {
  root
    .command('status')
    .description(
      'show how the service stands: queues, holds, gateways, lag, versions. Reads REDIS_URL as the worker does; ' +
        'exit code 1 where the queues cannot be read.',
    )
    .addHelpText('after', '\nExamples:\n  admin status\n  admin status --json')
    .action(() =>
      read(async (pool) => {
        const status = await readStatus(pool, readJobBackend(surroundings.environment));
        const json = toStatusReport(status);
        const text = describeStatus(json, toUnixSeconds(new Date()));
        return { json, text, exitCode: json.queues.queues === null ? 1 : 0 };
      }),
    );
}
