import type { Command } from 'commander';
import { readLine } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';
import { atQueueAdmin, requireJob } from '../use-cases/job-desk';
import { toJobReport } from './job-report';

export function addJobDiscardCommand(job: Command, { attempt, confirm, surroundings }: Program): void {
  job
    .command('discard')
    .description('take a failed job out of its queue for ever: what it was to do is not done')
    .argument('<job>', 'its id', readLine)
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  admin job discard 01936e0a-0000-7000-8000-000000000000')
    .action(async (id: string, { yes }: { yes?: true }) => {
      await confirm(`Discard the job ${id}.`, yes);
      await attempt({ action: 'job discard', target: id }, () =>
        atQueueAdmin(surroundings.environment, async (admin, keeper) => {
          const found = await requireJob(admin, keeper, id);
          if ((await admin.discard(found)) !== 'discarded')
            throw new CommandFailure(`The job ${id} has not failed: it is ${found.state}.`);
          return { json: toJobReport(found), text: `The job ${id} (${found.job}) is gone.` };
        }),
      );
    });
}
