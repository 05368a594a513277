import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../random';
import { BARRED_MODEL, type Asked } from '../load/attempt';
import type { Sender } from '../load/sender';
import type { Customer } from '../stand/customers';
import type { KeyChanges } from './change-keys';
import type { ChangeKind } from './plan';

export interface RoundContext {
  customers: readonly Customer[];
  gateways: number;
  sender: Sender;
  changes: KeyChanges;
  random: Random;
  /** Streams that may outlast the round that began them. */
  streams: Promise<unknown>[];
}

/** Sent to every gateway with the secret as it was, right after the answer. */
const PROBES: readonly Asked[] = [
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'stream', model: BARRED_MODEL },
  { kind: 'models' },
];
const LONGEST_PAUSE_MS = 60;

/** What gives the customer back what a change took. A rotation has done it itself. */
const RESTORE: Record<ChangeKind, keyof KeyChanges | undefined> = {
  revoke: 'create',
  rotate: undefined,
  bar: 'allow',
  suspend: 'activate',
};

/**
 * One change: every gateway has served the key a moment ago, a stream runs, the change is made, and at once every
 * gateway is asked with what it took away. The clients go on all the while.
 */
export async function runRound(context: RoundContext, kind: ChangeKind): Promise<void> {
  const { customers, sender, changes, random } = context;
  const number = random.between(0, customers.length - 1);
  const customer = customers[number];
  if (!customer) throw new Error('there is no customer');
  const secret = customer.secrets.length - 1;
  const askAll = (asked: readonly Asked[], withSecret: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: context.gateways }, (_, gateway) =>
        Promise.all(
          asked.map((each) => sender.send({ customer: number, secret: withSecret, gateway, asked: each })),
        ),
      ),
    );
  const pause = (): Promise<void> => sleep(random.between(0, LONGEST_PAUSE_MS));

  await askAll([{ kind: 'whole', model: BARRED_MODEL }], secret);
  const stream = sender.send({
    ...{ customer: number, secret, gateway: random.between(0, context.gateways - 1) },
    asked: { kind: 'stream', model: 'paced' },
  });
  // Whoever waits for it in the end learns of a failure.
  stream.catch(() => undefined);
  context.streams.push(stream);
  await pause();
  await changes[kind](customer);
  const newest = customer.secrets.length - 1;
  await Promise.all([
    askAll(PROBES, secret),
    ...(newest === secret ? [] : [askAll([{ kind: 'whole', model: BARRED_MODEL }], newest)]),
  ]);
  await pause();
  const restore = RESTORE[kind];
  if (restore) await changes[restore](customer);
}
