import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Client } from 'undici';
import {
  type Attacker,
  guessKeys,
  neverRead,
  readSlowly,
  sendSlowly,
  sendUnfinished,
  sleep,
} from './attacker';

/** The limit of a request's body. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function randomLetters(count: number): string {
  return Array.from(randomBytes(count), (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** Chinese characters in an unnatural order. */
function randomCjk(count: number): string {
  const bytes = randomBytes(2 * count);
  let text = '';
  for (let i = 0; i < count; i++) text += String.fromCharCode(0x4e00 + (bytes.readUInt16LE(2 * i) % 20_000));
  return text;
}

function messages(texts: readonly string[], more: object = {}): string {
  return JSON.stringify({
    model: 'plain',
    messages: texts.map((content) => ({ role: 'user', content })),
    ...more,
  });
}

/** A body of one message that repeats this text, up to the limit. */
function filledWith(text: string): string {
  const room = LARGEST_BYTES - 1_000;
  return messages([text.repeat(Math.floor(room / Buffer.byteLength(JSON.stringify(text).slice(1, -1))))]);
}

function tool(parameters: string): string {
  return `{"model":"plain","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]}`;
}

function nestedTool(): string {
  const levels = 40;
  const one = `${'{"properties":{"a":'.repeat(levels / 2)}{"type":"string"}${'}}'.repeat(levels / 2)}`;
  const count = Math.floor((LARGEST_BYTES - 1_000) / (one.length + 10));
  const members = Array.from({ length: count }, (_, i) => `"k${String(i)}":${one}`);
  return tool(`{"type":"object","properties":{${members.join(',')}}}`);
}

/** The largest accepted bodies, of every unusual kind. */
const LARGE_BODIES: Readonly<Record<string, () => string>> = {
  letters: () => filledWith(randomLetters(100_000)),
  cjk: () => filledWith(randomCjk(10_000)),
  emoji: () => filledWith('👩‍👩‍👧‍👦🏳️‍🌈'),
  spaces: () => filledWith(' '),
  escapes: () => messages(['x']).replace('"x"', `"${'\\u4e2d'.repeat(LARGEST_BYTES / 6 - 200)}"`),
  tools: nestedTool,
  arrays: () => tool(`{"enum":[${'[],'.repeat(LARGEST_BYTES / 3 - 200)}0]}`),
  numbers: () => tool(`{"enum":[${'0,'.repeat(LARGEST_BYTES / 2 - 200)}0]}`),
  names: () =>
    tool(
      `{"properties":{${Array.from({ length: 230_000 }, (_, i) => `"${(i * 7_919).toString(36)}":{}`).join(',')}}}`,
    ),
  messages: () => messages(Array.from({ length: 2_048 }, () => randomLetters(2_000))),
};

/** Something that one customer, or a stranger, can do. */
export interface Attack {
  name: string;
  what: string;
  /** If it takes longer than a part of a round. */
  leastSeconds?: number;
  run(attacker: Attacker): Promise<void>;
}

const LOCKED_MS = 8_000;
const GUESSES_PER_SECOND = 10_000;
const ASK = ['Tell me something.'];

export const ATTACKS: readonly Attack[] = [
  {
    name: 'letters',
    what: '31 messages of 130,000 random letters',
    run: (attacker) => {
      const text = randomLetters(130_000);
      return attacker.keep({ perSecond: 2, atOnce: 8 }, (turn) =>
        attacker.complete(messages(Array.from({ length: 31 }, (_, i) => turned(text, 31 * turn + i)))),
      );
    },
  },
  {
    name: 'cjk',
    what: '31 messages of 14,000 Chinese characters',
    run: (attacker) => {
      const text = randomCjk(14_000);
      return attacker.keep({ perSecond: 2, atOnce: 8 }, (turn) =>
        attacker.complete(messages(Array.from({ length: 31 }, (_, i) => turned(text, 31 * turn + i)))),
      );
    },
  },
  {
    name: 'row-lock',
    what: "requests while the account's row is locked for 8 s",
    leastSeconds: 10,
    run: async (attacker) => {
      const locking = lockFunds(attacker);
      await attacker.keep({ perSecond: 10, atOnce: 200 }, () => attacker.complete(messages(ASK)));
      await locking;
    },
  },
  ...['reports-2-32', 'reports-9e15', 'reports-past-2-63'].map((model): Attack => ({
    name: model,
    what: `an upstream that reports ${model.replace('reports-', '').replace('2-', '2^')} tokens, whole and streamed`,
    run: (attacker) =>
      attacker.keep({ perSecond: 10, atOnce: 50 }, (turn) =>
        attacker.complete(messages(ASK, { model, stream: turn % 2 === 0 })),
      ),
  })),
  {
    name: 'upstream-500',
    what: "20 at once with a field that the upstream answers with 500, on the customer's model",
    run: (attacker) =>
      attacker.keep({ perSecond: 4, atOnce: 8 }, async () => {
        const body = messages(ASK, { logit_bias: { 50_256: -100 } });
        await Promise.all(Array.from({ length: 20 }, () => attacker.complete(body)));
      }),
  },
  {
    name: 'large-answers',
    what: 'answers of 15 MB that are kept under an Idempotency-Key',
    run: (attacker) =>
      attacker.keep({ perSecond: 1, atOnce: 2 }, (turn) =>
        attacker.complete(messages(ASK, { model: 'large' }), {
          'idempotency-key': `${String(process.pid)}-${String(turn)}`,
        }),
      ),
  },
  {
    name: 'slow-senders',
    what: '500 connections that send a byte a second',
    run: (attacker) => sendSlowly(attacker, 500),
  },
  {
    name: 'never-readers',
    what: '500 connections that ask and never read',
    leastSeconds: 12,
    run: (attacker) => neverRead(attacker, 500),
  },
  {
    name: 'unknown-keys',
    what: '10,000 well-formed keys a second that nobody has',
    run: (attacker) => guessKeys(attacker, { perSecond: GUESSES_PER_SECOND, isWellFormed: true }),
  },
  {
    name: 'malformed-keys',
    what: '10,000 keys a second that cannot be keys',
    run: (attacker) => guessKeys(attacker, { perSecond: GUESSES_PER_SECOND, isWellFormed: false }),
  },
  ...Object.entries(LARGE_BODIES).map(([kind, build]): Attack => ({
    name: `body-${kind}`,
    what: `bodies of 4 MiB: ${kind}`,
    run: (attacker) => {
      const body = build();
      return attacker.keep({ perSecond: 2, atOnce: 8 }, () => attacker.complete(body));
    },
  })),
  {
    name: 'usage-questions',
    what: 'the widest questions about usage, 16 at once, half of them as CSV',
    run: askForUsage,
  },
  {
    name: 'revokes',
    what: 'keys made, rotated, used and revoked, 8 at once',
    run: changeKeys,
  },
  {
    name: 'unfinished-bodies',
    what: '300 connections that send 4 MiB but for the last byte, with all keys of an account',
    run: (attacker) => sendUnfinished(attacker, 300),
  },
  {
    name: 'trickling-readers',
    what: '60 connections that ask for answers of 15 MB and read 64 KiB of them twice a second',
    leastSeconds: 10,
    run: (attacker) => readSlowly(attacker, 60),
  },
  {
    name: 'free-work',
    what: '272 counts and quotes at once, with all keys of an account',
    run: (attacker) => {
      const body = messages(Array.from({ length: 4 }, () => randomLetters(1_100)));
      return attacker.keep({ perSecond: 1_000, atOnce: 272 }, async (turn) => {
        const path = turn % 2 === 0 ? '/v1/messages/count_tokens' : '/v1/quotes';
        await attacker.ask(attacker.setting.gatewayOrigin, {
          ...{ path, method: 'POST', body },
          token: attacker.nextKey(),
        });
      });
    },
  },
  {
    name: 'dropped-streams',
    what: '50 streams a second that are dropped at their first byte',
    run: (attacker) => attacker.keep({ perSecond: 50, atOnce: 100 }, () => openAndDrop(attacker)),
  },
];

/** Each with a text that nobody has sent before. */
function turned(text: string, by: number): string {
  const at = (by * 977) % text.length;
  return text.slice(at) + text.slice(0, at);
}

/** Like an operator whose connection fails in the middle of a transaction. */
async function lockFunds({ setting }: Attacker): Promise<void> {
  const client = new pg.Client({ connectionString: setting.ownerUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM account_funds WHERE account_id = $1 FOR UPDATE', [setting.accountId]);
    await sleep(LOCKED_MS);
    await client.query('ROLLBACK');
  } finally {
    await client.end();
  }
}

const YEAR_S = 366 * 86_400;

function askForUsage(attacker: Attacker): Promise<void> {
  const { accountOrigin, sessionToken } = attacker.setting;
  const now = Math.floor(Date.now() / 1_000);
  const paths = [
    `/v1/usage/summary?bucket=hour&start=${String(now - YEAR_S + 7_200)}`,
    `/v1/usage/by-model?start=${String(now - 9 * YEAR_S)}`,
    `/v1/usage/by-api-key?start=${String(now - 9 * YEAR_S)}`,
    '/v1/usage?limit=100',
    `/v1/usage/summary?bucket=hour&model=bench-1&start=${String(now - YEAR_S + 7_200)}`,
  ];
  return attacker.keep({ perSecond: 1_000, atOnce: 16 }, async (turn) => {
    await attacker.ask(accountOrigin, {
      path: paths[turn % paths.length] ?? '',
      token: sessionToken,
      headers: { accept: turn % 2 === 0 ? 'text/csv' : 'application/json' },
    });
  });
}

interface MadeKey {
  key: string;
  key_public_id: string;
}

function changeKeys(attacker: Attacker): Promise<void> {
  const { accountOrigin, gatewayOrigin, sessionToken } = attacker.setting;
  const change = (path: string, method: 'POST' | 'DELETE', body?: string) =>
    attacker.ask(accountOrigin, { path, method, token: sessionToken, body });
  const use = (token: string) =>
    attacker.ask(gatewayOrigin, {
      path: '/v1/chat/completions',
      method: 'POST',
      token,
      body: messages(ASK, { max_tokens: 20 }),
    });
  return attacker.keep({ perSecond: 1_000, atOnce: 8 }, async (turn) => {
    const made = await change('/v1/api-keys', 'POST', `{"name":"storm ${String(turn)}"}`);
    if (made === undefined) return;
    const { key, key_public_id: id } = JSON.parse(made) as MadeKey;
    await use(key);
    const rotated = await change(`/v1/api-keys/${id}/rotate`, 'POST');
    await use(key);
    await change(`/v1/api-keys/${id}`, 'DELETE');
    if (rotated !== undefined) await use((JSON.parse(rotated) as MadeKey).key);
  });
}

async function openAndDrop(attacker: Attacker): Promise<void> {
  const client = new Client(attacker.setting.gatewayOrigin);
  try {
    const { statusCode, body } = await client.request({
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${attacker.nextKey()}`, 'content-type': 'application/json' },
      body: messages(ASK, { stream: true }),
    });
    attacker.tell(String(statusCode));
    body.on('error', () => undefined);
  } finally {
    await client.destroy();
  }
}
