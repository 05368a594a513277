import { ERROR_CODES } from '@farebox/errors';
import { ATTACKS } from './attacker/attacks';
import { runNeighbours } from './run-neighbours';

/** What an attacker may be told: that it is served, or a code of the closed set. A connection may be cut. */
const PUBLIC_ANSWERS = new Set(['cut', '200', '201', '200 with an error event', '401']);
const CODES = new Set<string>(Object.keys(ERROR_CODES));

const NAMES = [
  ...[
    'large-answers',
    'slow-senders',
    'never-readers',
    'unknown-keys',
    'malformed-keys',
    'revokes',
    'dropped-streams',
  ],
  ...['body-letters', 'body-cjk', 'body-emoji', 'body-spaces', 'body-escapes', 'usage-questions'],
];

it('whatever one customer does, another gets every answer', async () => {
  const { measured } = await runNeighbours({
    ...{ seconds: 1, rounds: 1, history: 20_000 },
    attacks: ATTACKS.filter(({ name }) => NAMES.includes(name)),
    say: () => undefined,
  });
  for (const { attack, rounds, openHolds } of measured) {
    for (const { alone, beside, answers } of rounds) {
      expect([attack.name, alone.errors, beside.errors]).toEqual([attack.name, {}, {}]);
      expect(beside.asked).toBeGreaterThan(0);
      const odd = Object.keys(answers).filter(
        (answer) => !PUBLIC_ANSWERS.has(answer) && !CODES.has(answer.split(' ')[1] ?? ''),
      );
      expect([attack.name, odd]).toEqual([attack.name, []]);
    }
    expect([attack.name, openHolds]).toEqual([attack.name, 0]);
  }
}, 300_000);
