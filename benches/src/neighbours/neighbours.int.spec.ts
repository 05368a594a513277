import { ERROR_CODES } from '@farebox/errors';
import { ATTACKS, type Attack } from './attacks';
import { runNeighbours } from './neighbours';
import type { MeasuredAttack } from './victim';

/** The responses that an attacker may get: success, or a code of the closed set. A connection may be cut. */
const PUBLIC_ANSWERS = new Set(['cut', '200', '201', '200 with an error event', '401']);
const CODES = new Set<string>(Object.keys(ERROR_CODES));

const NAMES = [
  ...['row-lock', 'reports-2-32', 'reports-9e15', 'reports-past-2-63', 'upstream-500'],
  ...['slow-senders', 'never-readers', 'unknown-keys', 'malformed-keys'],
  ...['body-letters', 'body-emoji', 'body-escapes', 'usage-questions', 'revokes', 'dropped-streams'],
  ...['unfinished-bodies', 'trickling-readers', 'free-work'],
];
/** The service waits for its stores for the longest allowed time: a stalled machine is no finding. */
const TIMES = 3;

it('whatever one customer does, another gets every response', async () => {
  let attacks: Attack[] = ATTACKS.filter(({ name }) => NAMES.includes(name));
  expect(attacks).toHaveLength(NAMES.length);
  let findings: string[] = [];
  for (let time = 0; time < TIMES && attacks.length > 0; time++) {
    const run = { seconds: 1, rounds: 1, history: 20_000, attacks, say: () => undefined };
    const { measured } = await runNeighbours(run);
    findings = measured.flatMap(findingsOf);
    attacks = attacks.filter(({ name }) => findings.some((finding) => finding.startsWith(`${name}:`)));
  }
  expect(findings).toEqual([]);
}, 1_200_000);

function findingsOf({ attack: { name }, rounds, openHolds }: MeasuredAttack): string[] {
  const found = rounds.flatMap(({ alone, beside, answers }) => [
    ...(beside.asked > 0 ? [] : ['nothing was asked']),
    ...[alone, beside].flatMap(({ errors }) => Object.keys(errors)),
    ...Object.keys(answers)
      .filter((answer) => !PUBLIC_ANSWERS.has(answer) && !CODES.has(answer.split(' ')[1] ?? ''))
      .map((answer) => `the attacker was told ${answer}`),
    ...(openHolds === 0 ? [] : [`${String(openHolds)} holds are open`]),
  ]);
  return found.map((finding) => `${name}: ${finding}`);
}
