import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addJobDiscardCommand } from './job-discard';
import { addJobListCommand } from './job-list';
import { addJobRetryCommand } from './job-retry';
import { addJobShowCommand } from './job-show';

export function addJobCommands(root: Command, program: Program): void {
  const job = root
    .command('job')
    .description("the worker's jobs; give the worker's REDIS_URL, where it has one")
    .addHelpText(
      'after',
      '\nA job that has used all of its attempts stays in its queue as failed, until it is retried or discarded.',
    );
  addJobListCommand(job, program);
  addJobShowCommand(job, program);
  addJobRetryCommand(job, program);
  addJobDiscardCommand(job, program);
}
