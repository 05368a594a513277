import { toTable, type Report, type Verbs } from '@farebox/verbs';
import type { Finding } from './check-database';

export const doctorCommands: Verbs = {
  doctor: {
    help:
      'check the set-up and suggest remedies: configuration, connections, clocks, migrations, rights of ' +
      'logins, Redis, mail. Changes nothing. Exit code 1 if a check fails.',
    takes: (command) => command.option('--upstreams', 'also check the upstreams of the catalogue'),
    examples: ['admin doctor', 'admin doctor --upstreams --json'],
    run:
      ({ look, environment }) =>
      ({ upstreams = false }: { upstreams?: boolean }) =>
        look(async () => {
          const { examine } = await import('./examine');
          return toReport(await examine(environment, { upstreams }));
        }),
  },
};

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
