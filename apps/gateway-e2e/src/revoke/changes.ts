import { setTimeout as sleep } from 'node:timers/promises';
import { request as send } from 'undici';
import type { RedisServer } from '@farebox/local-services';
import type { Random } from '../random';
import { BARRED_MODEL, type Asked, type Sender } from './load';
import type { Customer } from './harness';
import type { NextMoment, KeyState, Change } from './history';

export interface RoundContext {
  customers: readonly Customer[];
  gateways: number;
  sender: Sender;
  changes: KeyChanges;
  random: Random;
  /** Streams that may outlast their round. */
  streams: Promise<unknown>[];
}

/** Sent to every gateway with the previous secret, right after the answer. */
const PROBES: readonly Asked[] = [
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'stream', model: BARRED_MODEL },
  { kind: 'models' },
];
const LONGEST_PAUSE_MS = 60;

/** Gives the customer back what a change took. A rotation does that itself. */
const RESTORE: Record<ChangeKind, keyof KeyChanges | undefined> = {
  revoke: 'create',
  rotate: undefined,
  bar: 'allow',
  suspend: 'activate',
};

/**
 * One change: every gateway has just served the key, a stream runs, the change is made, and at once every
 * gateway is asked with the lost rights. The clients keep running.
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
  // The final wait for the stream reports a failure.
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

/** Kinds of changes that take something from a customer. */
export const CHANGE_KINDS = ['revoke', 'rotate', 'bar', 'suspend'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Silent: it runs and keeps its connections, but answers nothing. */
export const REDIS_STATES = ['up', 'down', 'silent'] as const;
export type RedisState = (typeof REDIS_STATES)[number];

export interface PlannedRound {
  kind: ChangeKind;
  redis: RedisState;
}

/** In twenty rounds; the operator's command takes longest. */
const OF_TWENTY: Record<ChangeKind, number> = { revoke: 8, rotate: 8, bar: 3, suspend: 1 };
const BLOCK = CHANGE_KINDS.flatMap((kind) => Array<ChangeKind>(OF_TWENTY[kind]).fill(kind));
/** Number of rounds for which Redis keeps its state. */
const REDIS_STAYS = { least: 3, most: 9 };

/** Plans the rounds: the same twenty in any order, while Redis comes and goes. */
export function planRounds(random: Random, rounds: number): PlannedRound[] {
  const kinds: ChangeKind[] = [];
  while (kinds.length < rounds) kinds.push(...random.shuffle(BLOCK));
  const states: RedisState[] = [];
  const away = random.shuffle<RedisState>(['down', 'silent']);
  for (let segment = 0; states.length < rounds; segment++) {
    const state = segment % 2 === 0 ? 'up' : (away[((segment - 1) / 2) % 2] ?? 'down');
    states.push(...Array<RedisState>(random.between(REDIS_STAYS.least, REDIS_STAYS.most)).fill(state));
  }
  return kinds.slice(0, rounds).map((kind, round) => ({ kind, redis: states[round] ?? 'up' }));
}

/** Changes of a key by a customer or an operator, each with the moments between which it took effect. */
export interface KeyChanges {
  create(customer: Customer): Promise<void>;
  revoke(customer: Customer): Promise<void>;
  rotate(customer: Customer): Promise<void>;
  bar(customer: Customer): Promise<void>;
  allow(customer: Customer): Promise<void>;
  suspend(customer: Customer): Promise<void>;
  activate(customer: Customer): Promise<void>;
}

export interface KeyChangesOptions {
  accountUrl: string;
  admin: (...args: string[]) => Promise<unknown>;
  nextMoment: NextMoment;
}

interface KeyAnswer {
  key: string;
  key_public_id: string;
}

const NO_KEY: KeyState = { liveSecret: undefined, isSuspended: false, isBarred: false };

export function createKeyChanges({ accountUrl, admin, nextMoment }: KeyChangesOptions): KeyChanges {
  /** Sends the change; the service has answered when `act` resolves. */
  async function change<T>(
    { history }: Customer,
    what: string,
    after: Partial<KeyState>,
    act: () => Promise<T>,
  ): Promise<T> {
    const before = history.at(-1)?.after ?? NO_KEY;
    const made: Change = {
      ...{ what, after: { ...before, ...after } },
      ...{ sentAt: nextMoment(), answeredAt: Infinity },
    };
    history.push(made);
    const answer = await act();
    made.answeredAt = nextMoment();
    return answer;
  }

  /** Resolves with the head of the answer; the body is read afterwards. */
  async function call(customer: Customer, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) {
    const answer = await send(`${accountUrl}/v1/api-keys${path}`, {
      method,
      headers: {
        authorization: `Bearer ${customer.sessionToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 300)
      throw new Error(`${method} ${path}: ${String(answer.statusCode)} ${await answer.body.text()}`);
    return { read: async () => (await answer.body.json()) as KeyAnswer };
  }

  const pathOf = ({ keyPublicId }: Customer): string => `/${keyPublicId}`;
  const setPolicy = async (customer: Customer, isBarred: boolean): Promise<void> => {
    const model_policy = isBarred ? { mode: 'block', models: [BARRED_MODEL] } : null;
    const what = isBarred ? 'its policy bars a model' : 'its policy allows all models';
    const act = () => call(customer, 'PATCH', pathOf(customer), { model_policy });
    await (await change(customer, what, { isBarred }, act)).read();
  };

  return {
    async create(customer) {
      const liveSecret = customer.secrets.length;
      const act = () => call(customer, 'POST', '', { name: `key ${String(liveSecret)}` });
      const { key, key_public_id } = await (await change(customer, 'made', { liveSecret }, act)).read();
      customer.secrets.push(key);
      customer.keyPublicId = key_public_id;
    },
    async revoke(customer) {
      const act = () => call(customer, 'DELETE', pathOf(customer));
      await (await change(customer, 'revoked', { liveSecret: undefined }, act)).read();
    },
    async rotate(customer) {
      const liveSecret = customer.secrets.length;
      const act = () => call(customer, 'POST', `${pathOf(customer)}/rotate`);
      const { key } = await (await change(customer, 'rotated', { liveSecret }, act)).read();
      customer.secrets.push(key);
    },
    bar: (customer) => setPolicy(customer, true),
    allow: (customer) => setPolicy(customer, false),
    async suspend(customer) {
      await change(customer, 'its account suspended', { isSuspended: true }, () =>
        admin('account', 'suspend', customer.accountPublicId),
      );
    },
    async activate(customer) {
      await change(customer, 'its account activated', { isSuspended: false }, () =>
        admin('account', 'activate', customer.accountPublicId),
      );
    },
  };
}

/** Changes the state of Redis. It is empty when it comes up after being down. */
export async function changeRedis(redis: RedisServer, from: RedisState, to: RedisState): Promise<void> {
  if (from === to) return;
  if (from === 'silent') redis.resume();
  if (from === 'down') await redis.restart();
  if (to === 'silent') redis.pause();
  if (to === 'down') await redis.kill();
}
