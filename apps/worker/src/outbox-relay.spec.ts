import { createLogger } from '@farebox/observability';
import { loopPauseMs } from './loop';
import { runRelay } from './outbox-relay';

/**
 * Runs a relay whose first polls end as given, and the others like the last. Stops it after a number of
 * polls.
 */
async function runLooks(looks: readonly ('empty' | 'down')[]) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  const failures: number[] = [];
  let done = 0;
  let tell = (): void => undefined;
  const all = new Promise<void>((resolve) => (tell = resolve));
  const running = runRelay(
    {
      relay: () => {
        const look = looks[done++];
        if (done === looks.length) tell();
        return look === 'down' ? Promise.reject(new Error('no database')) : Promise.resolve(0);
      },
    },
    log,
    (count) => {
      failures.push(count);
      return done === looks.length ? 1_000_000 : 0;
    },
  );
  await all;
  await running.close();
  return { failures, lines };
}

it('an empty outbox is polled again without a message', async () => {
  const { failures, lines } = await runLooks(['empty', 'empty', 'empty']);
  expect(failures).toEqual([0, 0, 0]);
  expect(lines).toEqual([]);
});

it('a failure is reported once, and so is the recovery', async () => {
  const { failures, lines } = await runLooks([
    'empty',
    'down',
    'down',
    'down',
    'empty',
    'empty',
    'down',
    'empty',
  ]);
  expect(failures).toEqual([0, 1, 2, 3, 0, 0, 1, 0]);
  const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
  expect(events).toEqual(['outbox_not_relayed', 'outbox_relayed', 'outbox_not_relayed', 'outbox_relayed']);
});

it('it polls less and less often during failures, but at least every half minute', () => {
  expect([0, 1, 2, 3, 6, 7, 5_000].map(loopPauseMs)).toEqual([
    500, 1_000, 2_000, 4_000, 30_000, 30_000, 30_000,
  ]);
});

it('closing waits for the current batch', async () => {
  let finish = (): void => undefined;
  const handingOver = new Promise<number>((resolve) => (finish = () => resolve(1)));
  const log = createLogger({ service: 'worker', level: 'silent', destination: { write: () => undefined } });
  const running = runRelay({ relay: () => handingOver }, log);
  let closed = false;
  const closing = running.close().then(() => (closed = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toBe(false);
  finish();
  await closing;
  expect(closed).toBe(true);
});
