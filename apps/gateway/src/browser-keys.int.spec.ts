import { quote as quoteRecord, type QuoteRecord } from '@farebox/api';
import { waitUntil } from '@farebox/testing';
import { startGatewayHarness, type GatewayHarness } from '../test/gateway-harness';

const PAGE = 'https://app.example.com';
const OTHER_PAGE = 'http://localhost:5173';
const CONSOLE = 'https://console.acme.example';
const FOREIGN = [
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://app.example.com:8443',
  'http://app.example.com',
  'https://APP.example.com',
  'null',
];

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await startGatewayHarness({ consoleOrigins: [CONSOLE] });
});
afterAll(async () => {
  await harness.expectSettled();
  await harness.close();
});

async function givenKeyFor(origins: readonly string[] | null) {
  const key = await harness.givenKey();
  await allow(key.apiKeyId, origins);
  return key;
}

/** Same as in the account service. */
async function allow(apiKeyId: string, origins: readonly string[] | null): Promise<void> {
  const sql = 'UPDATE api_key SET allowed_origins = $2, version = version + 1 WHERE id = $1';
  await harness.db.pool.query(sql, [apiKeyId, origins]);
}

function ask(secret: string, origin: string | undefined, path = '/v1/chat/completions'): Promise<Response> {
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    ...(origin === undefined ? {} : { origin }),
  };
  const isChat = path === '/v1/chat/completions';
  const body = isChat
    ? { model: 'echo', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }
    : { model: 'embed', input: 'Hello' };
  const init = path.startsWith('/v1/models')
    ? { headers }
    : { method: 'POST', headers, body: JSON.stringify(body) };
  return fetch(harness.url + path, init);
}

const sharedWith = (response: Response): string | null => response.headers.get('access-control-allow-origin');

async function outcomeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error?: { code: string; param: string | null } };
  return `${String(response.status)} ${error?.code ?? 'ok'} ${error?.param ?? ''}`.trim();
}

describe('a key for browsers', () => {
  it.each(['/v1/chat/completions', '/v1/embeddings', '/v1/models', '/v1/models/echo'])(
    'serves the pages that it allows, and they may read the response: %s',
    async (path) => {
      const { secret } = await givenKeyFor([PAGE, OTHER_PAGE]);
      for (const origin of [PAGE, OTHER_PAGE]) {
        const response = await ask(secret, origin, path);
        expect([await outcomeOf(response), sharedWith(response)]).toEqual(['200 ok', origin]);
        expect(response.headers.get('vary')).toBe('Origin');
        expect(response.headers.get('access-control-expose-headers')).toContain('X-Service-Request-Id');
        expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      }
    },
  );

  it.each([undefined, ...FOREIGN, CONSOLE])(
    'serves no other page, and nothing is held: %s',
    async (origin) => {
      const { secret, accountId } = await givenKeyFor([PAGE]);
      for (const path of ['/v1/chat/completions', '/v1/embeddings', '/v1/models']) {
        const response = await ask(secret, origin, path);
        expect(await outcomeOf(response)).toBe('401 authentication_error Origin');
        expect(sharedWith(response)).toBe(origin === CONSOLE ? CONSOLE : null);
      }
      const { rows } = await harness.db.pool.query(
        'SELECT 1 FROM hold WHERE account_id = $1 UNION ALL SELECT 1 FROM usage_record WHERE account_id = $1',
        [accountId],
      );
      expect(rows).toEqual([]);
    },
  );

  it('lets a page that it allows read the error, and its account see it', async () => {
    const { secret, accountId } = await givenKeyFor([PAGE]);
    await harness.db.pool.query(
      `UPDATE api_key SET model_policy_mode = 'block', model_policy_models = '{echo}' WHERE account_id = $1`,
      [accountId],
    );
    const refused = await ask(secret, PAGE);
    expect([await outcomeOf(refused), sharedWith(refused)]).toEqual(['403 model_not_allowed model', PAGE]);
    await ask(secret, FOREIGN[0]);
    const codes = async () =>
      (
        await harness.db.pool.query<{ error_code: string }>(
          'SELECT error_code FROM uncharged_request WHERE account_id = $1 ORDER BY error_code',
          [accountId],
        )
      ).rows.map((row) => row.error_code);
    await waitUntil(async () => (await codes()).length === 2, 'both are listed');
    expect(await codes()).toEqual(['authentication_error', 'model_not_allowed']);
  });

  it('has its current settings, whatever a gateway remembers', async () => {
    const { secret, apiKeyId } = await givenKeyFor([PAGE]);
    expect(await outcomeOf(await ask(secret, PAGE))).toBe('200 ok');
    await allow(apiKeyId, [OTHER_PAGE]);
    expect(await outcomeOf(await ask(secret, OTHER_PAGE))).toBe('200 ok');
    expect(await outcomeOf(await ask(secret, PAGE))).toBe('401 authentication_error Origin');
    await allow(apiKeyId, [PAGE]);
    await ask(secret, PAGE);
    await allow(apiKeyId, [OTHER_PAGE]);
    // The key is remembered as allowed, but the hold is decided on the row.
    expect(await outcomeOf(await ask(secret, PAGE))).toBe('401 authentication_error Origin');
    await allow(apiKeyId, null);
    expect(await outcomeOf(await ask(secret, undefined))).toBe('200 ok');
  });
});

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const WIRES = {
  chat: ['/v1/chat/completions', { model: 'echo', messages: MESSAGES, max_tokens: 5 }],
  messages: ['/v1/messages', { model: 'echo', messages: MESSAGES, max_tokens: 5 }],
  responses: ['/v1/responses', { model: 'echo', input: 'Hello', max_output_tokens: 16 }],
  embeddings: ['/v1/embeddings', { model: 'embed', input: 'Hello' }],
} as const;

describe.each(Object.entries(WIRES))("the limits of the account, on the wire '%s',", (wire, [path, body]) => {
  const send = (secret: string, to: string): Promise<Response> =>
    fetch(harness.url + to, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', origin: PAGE },
      body: JSON.stringify(body),
    });
  const quote = async (secret: string): Promise<QuoteRecord> =>
    quoteRecord.parse(await (await send(secret, `/v1/quotes?wire=${wire}`)).json());
  const amountsOf = (text: string): string[] => text.match(/\d+\.\d{9}/g) ?? [];

  async function refusalOf(secret: string): Promise<{ code: string; message: string }> {
    const { error } = (await (await send(secret, path)).json()) as {
      error: { code?: string; message: string };
    };
    return { code: error.code ?? '', message: error.message };
  }

  it('are hidden from the pages of a key for browsers, whichever limit refuses', async () => {
    for (const given of [{ balanceNano: 3n }, { dailySpendCapNano: 3n }, {}]) {
      const { secret, apiKeyId } = await harness.givenKey(given);
      await allow(apiKeyId, [PAGE]);
      const quoted = await quote(secret);
      expect(quoted.limits).toEqual({ balance: null, account_day: null, key_month: null, policy: null });
      expect(quoted.binds).toBe(
        'balanceNano' in given ? 'balance' : 'dailySpendCapNano' in given ? 'account_day' : null,
      );
      if (quoted.binds === null) continue;
      const { message } = await refusalOf(secret);
      // Token counts of the request itself, bounded by its bytes or counted.
      expect(amountsOf(message)).toHaveLength(1);
      expect([quoted.maximum_cost, quoted.hold]).toContain(amountsOf(message)[0]);
    }
  });

  it("come after the key's own limit, which is shown", async () => {
    const limit = { monthlySpendLimitNano: 2n };
    const { secret, apiKeyId } = await harness.givenKey({ dailySpendCapNano: 3n }, limit);
    await allow(apiKeyId, [PAGE]);
    const quoted = await quote(secret);
    expect(quoted.binds).toBe('key_month');
    expect(quoted.limits).toMatchObject({
      balance: null,
      account_day: null,
      key_month: { left: '0.000000002' },
    });
    expect((await refusalOf(secret)).message).toContain("0.000000002 USD are left of this key's monthly");
  });

  it('are shown or hidden as the owner has set it, from the next request on', async () => {
    const { secret, apiKeyId } = await harness.givenKey({ balanceNano: 3n });
    const isTold = async (): Promise<boolean[]> => [
      (await quote(secret)).limits.balance !== null,
      amountsOf((await refusalOf(secret)).message).length > 1,
    ];
    expect(await isTold()).toEqual([true, true]);
    for (const [shows, origins] of [
      [false, null],
      [true, [PAGE]],
      [null, [PAGE]],
      [null, null],
    ] as const) {
      await harness.db.pool.query(
        'UPDATE api_key SET shows_account_limits = $2, allowed_origins = $3, version = version + 1 WHERE id = $1',
        [apiKeyId, shows, origins],
      );
      const expected = shows ?? origins === null;
      // The request goes first: a gateway that remembers the key must not decide by what it remembers.
      expect(amountsOf((await refusalOf(secret)).message).length > 1).toBe(expected);
      expect(await isTold()).toEqual([expected, expected]);
    }
  });
});

describe('a key of any program', () => {
  it.each([undefined, PAGE, ...FOREIGN])(
    'is served, but no page may read the response: %s',
    async (origin) => {
      const { secret } = await harness.givenKey();
      const response = await ask(secret, origin);
      expect([await outcomeOf(response), sharedWith(response)]).toEqual(['200 ok', null]);
    },
  );

  it('is shared with the pages that the operator lists', async () => {
    const { secret } = await harness.givenKey();
    expect(sharedWith(await ask(secret, CONSOLE))).toBe(CONSOLE);
  });
});

describe('a preflight', () => {
  const preflight = (path: string, origin: string): Promise<Response> =>
    fetch(harness.url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it.each(['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/models/echo'])(
    'is answered for any page, since it carries no key: %s',
    async (path) => {
      const response = await preflight(path, PAGE);
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET,HEAD,POST,PATCH,DELETE',
        'access-control-allow-headers': 'authorization,content-type',
      });
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  it.each(['/openapi.json', '/readyz', '/v1/nothing'])(
    'is answered only for endpoints that take a key: %s',
    async (path) => {
      expect(sharedWith(await preflight(path, PAGE))).toBeNull();
    },
  );
});
