// What a gateway of the version before the next one asks the database, word for word: nothing was released yet, so that
// it is this version's. It goes on while the database is migrated, and afterwards, until the new version has taken its
// place. When a version is released, this becomes its copy.
import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/auth';
import { givenAccount, givenApiKey } from '@farebox/testing';
import pg from 'pg';

/** The last migration that the database of that version had. */
export const FORMER_MIGRATION = '20261122120000_init';

const RENEW_LEASE = `SELECT ledger_renew_lease($1, $2 * interval '1 millisecond')`;
const FIND_API_KEY = `
  SELECT k.secret_hmac AS "secretHmac", k.id AS "apiKeyId", k.account_id AS "accountId", k.version,
         api_key_status(k.revoked_at, k.expires_at, now()) AS status, k.expires_at AS "expiresAt",
         a.invite_status AS "inviteStatus", a.cohort_name AS "cohortName",
         k.model_policy_mode AS "modelPolicyMode", k.model_policy_models AS "modelPolicyModels"
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.secret_hmac = ANY ($1::bytea[])`;
const READ_CATALOG = [
  'SELECT version FROM catalog_state',
  'SELECT * FROM upstream',
  `SELECT m.id, m.owned_by, m.context_window, m.max_output_tokens, m.default_max_output_tokens, m.tokenizer,
          m.modalities, m.image_tokens, m.prompt_overhead, m.message_overhead, m.tools_overhead, m.visibility, m.cohorts,
          round(extract(epoch FROM m.created_at))::float8 AS created_at,
          p.id AS price_version_id, p.input_price_pico::text, p.output_price_pico::text,
          coalesce((SELECT json_agg(json_build_object('upstream_id', r.upstream_id, 'upstream_model', r.upstream_model)
                                    ORDER BY r.position)
                    FROM model_route r WHERE r.model_id = m.id), '[]') AS routes
   FROM model m
   CROSS JOIN LATERAL (SELECT * FROM price_version p
                       WHERE p.model_id = m.id
                         AND p.starts_at <= greatest(clock_timestamp(), (SELECT applied_at FROM catalog_state))
                       ORDER BY p.starts_at DESC LIMIT 1) p`,
];
const BATCH = `
  SELECT array_to_string(resolved, ',') AS resolved,
         array_to_string(outcomes, ',') AS outcomes,
         array_to_string(available_nano, ',', '') AS available_nano,
         array_to_string(replayed_hold_id, ',', '') AS replayed,
         array_to_string(contended, ',') AS contended
  FROM ledger_batch_in_lane($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
                            $21, $22, $23, $24)`;
const HOLD_STATES = `SELECT array_to_string(ledger_hold_states($1), ',') AS states`;
const KEPT_ANSWER = 'SELECT ledger_kept_answer($1, $2, $3, $4) AS answer';

/** A gateway gives a call up after this time. */
const CALL_TIMEOUT_MS = 5_000;
const LEASE_MS = 600_000;
const LANES = 3;
const HELD = 60n;
const COST = 25n;

export interface FormerGateway {
  /** Requests that were admitted, charged and answered again. */
  charged(): number;
  /** What went wrong; a lane ends with that. */
  failures(): string[];
  /** Charges so many more, a batch at a time. */
  fill(charges: number): Promise<void>;
  stop(): Promise<void>;
}

interface Customer {
  accountId: string;
  apiKeyId: string;
  secretHmac: Buffer;
}

/** A gateway with one connection a lane, each charging request after request until it is stopped. */
export async function startFormerGateway(owner: pg.Pool, serviceUrl: string): Promise<FormerGateway> {
  const id = uuidV7();
  const connections = await Promise.all(Array.from({ length: LANES }, () => connect(serviceUrl)));
  const customers = await Promise.all(connections.map(() => givenCustomer(owner)));
  let [charged, isStopped] = [0, false];
  const failures: string[] = [];

  async function batch(
    client: pg.Client,
    customer: Customer,
    requests: number,
    key?: string,
  ): Promise<string[]> {
    const holdIds = Array.from({ length: requests }, () => uuidV7());
    const none: string[] = [];
    const each = <Value>(value: Value): Value[] => holdIds.map(() => value);
    const admission = [
      holdIds,
      each(customer.accountId),
      each(customer.apiKeyId),
      each(1),
      each('beta'),
      each(HELD),
      each('small'),
    ];
    const rest = [
      each(uuidV7()),
      each('req_1'),
      each(key ?? null),
      each(key === undefined ? null : randomBytes(32)),
    ];
    const admitted = await client.query<{ outcomes: string }>(BATCH, [
      customer.accountId,
      ...Array.from({ length: 11 }, () => none),
      id,
      ...admission,
      ...rest,
    ]);
    if (admitted.rows[0]?.outcomes !== each('admitted').join(','))
      throw new Error(`not admitted: ${JSON.stringify(admitted.rows)}`);
    const usage = [
      each(COST),
      each(10),
      each(5),
      each('completed'),
      each(false),
      each(false),
      each(1),
      each(null),
    ];
    const answer = each(key === undefined ? null : Buffer.from('kept'));
    const settled = await client.query<{ resolved: string }>(BATCH, [
      customer.accountId,
      holdIds,
      each(customer.accountId),
      ...usage,
      answer,
      id,
      ...Array.from({ length: 11 }, () => none),
    ]);
    if (settled.rows[0]?.resolved.split(',').length !== requests) throw new Error('not charged');
    return holdIds;
  }

  async function request(client: pg.Client, customer: Customer): Promise<void> {
    await client.query(RENEW_LEASE, [id, LEASE_MS]);
    const found = await client.query(FIND_API_KEY, [[customer.secretHmac]]);
    if (found.rowCount !== 1) throw new Error('the key was not found');
    for (const read of READ_CATALOG) await client.query(read);
    const key = `key-${String(charged)}-${customer.apiKeyId}`;
    const holdIds = await batch(client, customer, 1, key);
    const states = await client.query<{ states: string }>(HOLD_STATES, [holdIds]);
    if (states.rows[0]?.states !== 'charged') throw new Error(`it is ${JSON.stringify(states.rows)}`);
    const kept = await client.query<{ answer: Buffer | null }>(KEPT_ANSWER, [
      customer.accountId,
      customer.apiKeyId,
      key,
      holdIds[0],
    ]);
    if (!kept.rows[0]?.answer) throw new Error('the answer was not kept');
    charged += 1;
  }

  await connections[0]?.query(RENEW_LEASE, [id, LEASE_MS]);
  let lanes: Promise<void>[] = [];
  const begin = (): void => {
    lanes = connections.map(async (client, index) => {
      const customer = customers[index];
      if (!customer) throw new Error('a lane has its customer');
      try {
        while (!isStopped) await request(client, customer);
      } catch (error) {
        failures.push(String(error));
      }
    });
  };
  begin();
  return {
    charged: () => charged,
    failures: () => failures,
    async fill(charges) {
      const client = await connect(serviceUrl);
      const customer = await givenCustomer(owner);
      for (let done = 0; done < charges; done += 500) await batch(client, customer, 500);
      await client.end();
    },
    async stop() {
      isStopped = true;
      await Promise.all(lanes);
      await Promise.all(connections.map((client) => client.end()));
    },
  };
}

async function connect(serviceUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: serviceUrl, query_timeout: CALL_TIMEOUT_MS });
  client.on('error', () => undefined); // the query under way tells it
  await client.connect();
  return client;
}

async function givenCustomer(owner: pg.Pool): Promise<Customer> {
  const accountId = await givenAccount(owner, { balanceNano: 1_000_000_000n, dailyRequestCap: 10_000_000 });
  await owner.query('UPDATE account SET daily_spend_cap_nano = 1000000000000 WHERE id = $1', [accountId]);
  const secretHmac = randomBytes(32);
  return { accountId, secretHmac, apiKeyId: await givenApiKey(owner, accountId, { secretHmac }) };
}
