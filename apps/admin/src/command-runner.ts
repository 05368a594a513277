import { openAccounts } from '@farebox/accounts';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { runAttempt } from './audit/run-attempt';
import { runChange } from './audit/run-change';
import { runMovement } from './audit/run-movement';
import { printReport, runOnDatabase, type Program, type Report, type Surroundings } from './command-run';
import { confirm } from './confirm';
import { requireOperatorName } from './operator-name';

/** What runs the commands of a program, under the options that were given to all of it. */
export function createCommandRunner(
  root: Command,
  surroundings: Surroundings,
  onExitCode: (code: number) => void,
): Program {
  const options = () => root.opts<{ json?: boolean; by?: string }>();
  const wantsJson = (): boolean => options().json === true;
  const operator = (): string => requireOperatorName(options().by, surroundings);
  const run = async (readOnly: boolean, command: (pool: Pool) => Promise<Report>): Promise<void> => {
    onExitCode(await runOnDatabase({ ...surroundings, wantsJson: wantsJson(), readOnly }, command));
  };
  return {
    surroundings,
    wantsJson,
    read: (command) => run(true, (pool) => command(pool, openAccounts(pool))),
    look: async (command) => {
      onExitCode(printReport({ ...surroundings, wantsJson: wantsJson() }, await command()));
    },
    async change(action, command) {
      const acting = { operator: operator(), action };
      await run(false, (pool) => runChange(pool, acting, command));
    },
    async move(action, command) {
      const acting = { operator: operator(), action };
      await run(false, (pool) => runMovement(pool, acting, command));
    },
    async lookThenChange(action, look, command) {
      const acting = { operator: operator(), action };
      await run(false, async (pool) => {
        const found = await look(pool);
        return runChange(pool, acting, (made) => command(made, found));
      });
    },
    async moveEach(action, look, command, conclude) {
      const acting = { operator: operator(), action };
      await run(false, async (pool) => {
        const reports: Report[] = [];
        for (const found of await look(pool))
          reports.push(await runMovement(pool, acting, (made) => command(made, found)));
        return conclude(reports);
      });
    },
    async attempt(attempted, command) {
      const acting = { operator: operator(), ...attempted };
      await run(false, (pool) => runAttempt(pool, acting, command));
    },
    confirm: (question, yes) => confirm(surroundings, question, yes),
  };
}
