import { request as send } from 'undici';
import { BARRED_MODEL } from '../load/attempt';
import type { Customer } from '../stand/customers';
import type { Change, KeyState, NextMoment } from './history';

/** What a customer or an operator does to a key, with the moments between which it came to hold. */
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
  /** Sends the change; when `act` resolves, the service has answered. */
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

  /** Resolves with the head of the answer; the body is read behind it. */
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
