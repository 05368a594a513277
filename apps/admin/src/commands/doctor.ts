import type { Command } from 'commander';
import type { Program, Report } from '../command-run';
import { examine } from '../doctor/examine';
import type { Finding } from '../doctor/finding';
import { toTable } from '../text-table';

export function addDoctorCommand(root: Command, { look, surroundings }: Program): void {
  root
    .command('doctor')
    .description(
      'check that all is as it must be, and say what to do: configuration, connections, clocks, migrations, rights of ' +
        'logins, Redis, mail. Changes nothing. Exit code 1 where something fails.',
    )
    .option('--upstreams', 'ask the upstreams of the catalogue as well')
    .addHelpText('after', '\nExamples:\n  admin doctor\n  admin doctor --upstreams --json')
    .action(({ upstreams = false }: { upstreams?: boolean }) =>
      look(async () => toReport(await examine(surroundings.environment, { upstreams }))),
    );
}

function toReport(findings: readonly Finding[]): Report {
  const count = (state: Finding['state']): number => findings.filter((one) => one.state === state).length;
  const [failed, warned] = [count('fail'), count('warn')];
  const json = {
    ok: failed === 0,
    failed,
    warned,
    findings: findings.map(({ remedy = null, ...finding }) => ({ ...finding, remedy })),
  };
  const table = toTable(
    [{ name: 'check' }, { name: 'state' }, { name: 'found' }],
    findings.map(({ check, state, detail, remedy }) => [
      check,
      state,
      remedy === undefined ? detail : `${detail} ${remedy}`,
    ]),
  );
  const total = `${String(findings.length)} checks: ${String(failed)} failed, ${String(warned)} with a warning.`;
  return { json, text: `${table}\n${total}`, exitCode: failed === 0 ? 0 : 1 };
}
