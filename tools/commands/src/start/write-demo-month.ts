import { randomBytes } from 'node:crypto';
import { createUuidV7Source, fromPublicId, toPublicId } from '@farebox/auth';
import { DAY_MS, MINUTE_MS } from '@farebox/flow';
import { toPicoUsd } from '@farebox/money';
import pg from 'pg';
import {
  DEMO_DAYS,
  DEMO_KEYS,
  planDemoMonth,
  type DemoCharge,
  type DemoEvent,
  type DemoModel,
  type DemoTopUp,
  type DemoUncharged,
} from './demo-month';

type At<Event extends DemoEvent> = Event & { id: string };

/**
 * Gives the demo account a month of usage, in one transaction, so that there is something to see. Only if nothing was
 * ever booked, summed or checked in this database: the past is written with the ledger's own entries, under its
 * triggers, and no existing record is changed. The rest of the month's money is taken back at its end, so that the
 * account's balance stays the same. Returns whether it did.
 */
export async function writeDemoMonth(databaseUrl: string, publicAccountId: string): Promise<boolean> {
  const accountId = fromPublicId('acct', publicAccountId);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    const isWritten =
      accountId !== undefined && (await isUntouched(client)) && (await write(client, accountId));
    await client.query('COMMIT');
    return isWritten;
  } finally {
    await client.end();
  }
}

async function isUntouched(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ untouched: boolean }>(`
    SELECT summed_before = 'epoch' AND (SELECT count(*) = 1 FROM account) AND NOT EXISTS (SELECT FROM ledger_entry)
      AND NOT EXISTS (SELECT FROM usage_record) AND NOT EXISTS (SELECT FROM ledger_checkpoint WHERE closed_before > 'epoch')
      AND NOT EXISTS (SELECT FROM hold) AS untouched
    FROM usage_sum_state WHERE id = 1 FOR UPDATE`);
  return rows[0]?.untouched === true;
}

async function write(client: pg.Client, accountId: string): Promise<boolean> {
  const models = await readModels(client);
  const { rows } = await client.query<{ now: Date }>('SELECT now()');
  const now = rows[0]?.now ?? new Date();
  // An id has the time of its event.
  let atMs = 0;
  const newId = createUuidV7Source(() => atMs);
  const events = planDemoMonth(models, now).map((event) => {
    atMs = event.at.getTime();
    return { ...event, id: newId() };
  });
  const [first] = events;
  if (!first) return false;
  const apiKeyIds = await writeKeys(client, accountId, now);
  await client.query('UPDATE account SET created_at = $2 WHERE id = $1', [accountId, first.at]);
  for (const part of inParts(events.filter((event) => event.kind !== 'uncharged')))
    await append(client, accountId, part);
  await writeTopUps(
    client,
    accountId,
    events.filter((event) => event.kind === 'top_up'),
  );
  await writeCharges(
    client,
    accountId,
    apiKeyIds,
    events.filter((event) => event.kind === 'charge'),
  );
  await writeUncharged(
    client,
    accountId,
    apiKeyIds,
    events.filter((event) => event.kind === 'uncharged'),
  );
  await takeBackWhatIsLeft(client, accountId, new Date(now.getTime() - MINUTE_MS));
  return true;
}

/** The chat models that everybody may use, the cheapest first. */
async function readModels(client: pg.Client): Promise<DemoModel[]> {
  const { rows } = await client.query<{
    id: string;
    price_id: string;
    input_pico: string;
    output_pico: string;
  }>(
    `SELECT m.id, p.id AS price_id, p.input_price_pico::text AS input_pico, p.output_price_pico::text AS output_pico
     FROM model m
     CROSS JOIN LATERAL (SELECT * FROM price_version p WHERE p.model_id = m.id ORDER BY p.starts_at DESC LIMIT 1) p
     WHERE m.visibility = 'public' AND m.kind = 'chat' ORDER BY p.output_price_pico, m.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    priceVersionId: row.price_id,
    inputPricePico: toPicoUsd(BigInt(row.input_pico)),
    outputPricePico: toPicoUsd(BigInt(row.output_pico)),
  }));
}

async function writeKeys(client: pg.Client, accountId: string, now: Date): Promise<string[]> {
  const madeAt = new Date(now.getTime() - (DEMO_DAYS + 1) * DAY_MS);
  const newId = createUuidV7Source(() => madeAt.getTime());
  const ids: string[] = [];
  for (const { name, revokedDaysAgo } of DEMO_KEYS) {
    const id = newId();
    const revokedAt = revokedDaysAgo === undefined ? null : new Date(now.getTime() - revokedDaysAgo * DAY_MS);
    await client.query(
      `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, secret_issued_at, revoked_at,
                            created_at, lifetime_starts_at)
       VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $6, $6)`,
      [id, accountId, name, randomBytes(32), randomBytes(2).toString('hex'), madeAt, revokedAt],
    );
    ids.push(id);
  }
  return ids;
}

const PART = 200;

/** An array's entries in batches, so that no statement is long. */
function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let i = 0; i < items.length; i += PART) yield items.slice(i, i + PART);
}

/** One entry each, in the order of time. */
async function append(
  client: pg.Client,
  accountId: string,
  events: readonly (At<DemoCharge> | At<DemoTopUp>)[],
): Promise<void> {
  await client.query(
    `SELECT ledger_append(e.id, $1, e.kind::ledger_entry_kind,
                          CASE e.kind WHEN 'charge' THEN 'customer' ELSE 'funding' END::ledger_book,
                          CASE e.kind WHEN 'charge' THEN 'revenue' ELSE 'customer' END::ledger_book,
                          e.amount_nano, NULL, e.at)
     FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::timestamptz[]) AS e (id, kind, amount_nano, at)
     WHERE e.amount_nano > 0`,
    [
      ...[accountId, events.map(({ id }) => id), events.map(({ kind }) => kind)],
      events.map((event) => (event.kind === 'charge' ? event.costNano : event.amountNano)),
      events.map(({ at }) => at),
    ],
  );
}

async function writeTopUps(
  client: pg.Client,
  accountId: string,
  topUps: readonly At<DemoTopUp>[],
): Promise<void> {
  await client.query(
    `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
     SELECT t.id, $1, 'manual', 'demo-month-' || t.number, t.amount_nano, t.at
     FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) WITH ORDINALITY AS t (id, amount_nano, at, number)`,
    [
      ...[accountId, topUps.map(({ id }) => id), topUps.map(({ amountNano }) => amountNano)],
      topUps.map(({ at }) => at),
    ],
  );
}

/** The records, and all their counters. */
async function writeCharges(
  client: pg.Client,
  accountId: string,
  apiKeyIds: readonly string[],
  charges: readonly At<DemoCharge>[],
): Promise<void> {
  await client.query(
    `INSERT INTO usage_record (id, account_id, api_key_id, model_id, price_version_id, request_id, prompt_tokens,
                               completion_tokens, cost_nano, outcome, streamed, estimated, day, latency_ms,
                               first_token_ms, created_at)
     SELECT c.id, $1, c.api_key_id, c.model_id, c.price_version_id, c.request_id, c.prompt_tokens, c.completion_tokens,
            c.cost_nano, c.outcome::usage_outcome, c.streamed, c.outcome <> 'completed', (c.at AT TIME ZONE 'UTC')::date,
            c.latency_ms, c.first_token_ms, c.at
     FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::int[], $8::int[], $9::bigint[],
                 $10::text[], $11::bool[], $12::int[], $13::int[], $14::timestamptz[])
       AS c (id, api_key_id, model_id, price_version_id, request_id, prompt_tokens, completion_tokens, cost_nano,
             outcome, streamed, latency_ms, first_token_ms, at)`,
    [
      ...[accountId, charges.map(({ id }) => id), charges.map(({ key }) => apiKeyIds[key])],
      ...[charges.map(({ modelId }) => modelId), charges.map(({ priceVersionId }) => priceVersionId)],
      ...[charges.map(({ id }) => toPublicId('req', id)), charges.map(({ promptTokens }) => promptTokens)],
      ...[charges.map(({ completionTokens }) => completionTokens), charges.map(({ costNano }) => costNano)],
      ...[charges.map(({ outcome }) => outcome), charges.map(({ streamed }) => streamed)],
      ...[charges.map(({ latencyMs }) => latencyMs), charges.map(({ firstTokenMs }) => firstTokenMs)],
      charges.map(({ at }) => at),
    ],
  );
  await client.query(
    `INSERT INTO usage_hour (account_id, hour, api_key_id, model_id, requests, prompt_tokens, completion_tokens, cost_nano)
     SELECT account_id, date_trunc('hour', created_at, 'UTC'), api_key_id, model_id, count(*), sum(prompt_tokens),
            sum(completion_tokens), sum(cost_nano)
     FROM usage_record WHERE account_id = $1 GROUP BY 1, 2, 3, 4`,
    [accountId],
  );
  await client.query(
    `INSERT INTO account_day (account_id, day, requests, spent_nano)
     SELECT account_id, day, count(*), sum(cost_nano) FROM usage_record WHERE account_id = $1 GROUP BY 1, 2`,
    [accountId],
  );
  await client.query(
    `INSERT INTO api_key_month (api_key_id, month, spent_nano, last_used_at)
     SELECT api_key_id, date_trunc('month', day)::date, sum(cost_nano), max(created_at)
     FROM usage_record WHERE account_id = $1 GROUP BY 1, 2`,
    [accountId],
  );
}

async function writeUncharged(
  client: pg.Client,
  accountId: string,
  apiKeyIds: readonly string[],
  requests: readonly At<DemoUncharged>[],
): Promise<void> {
  await client.query(
    `INSERT INTO uncharged_request (id, account_id, api_key_id, model_id, request_id, outcome, error_code, http_status,
                                    streamed, latency_ms, created_at)
     SELECT r.id, $1, r.api_key_id, CASE WHEN r.error_code IS DISTINCT FROM 'model_not_found' THEN r.model_id END,
            r.request_id, r.outcome::uncharged_outcome, r.error_code, r.http_status, r.streamed, r.latency_ms, r.at
     FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::bool[],
                 $10::int[], $11::timestamptz[])
       AS r (id, api_key_id, model_id, request_id, outcome, error_code, http_status, streamed, latency_ms, at)`,
    [
      ...[accountId, requests.map(({ id }) => id), requests.map(({ key }) => apiKeyIds[key])],
      ...[requests.map(({ modelId }) => modelId), requests.map(({ id }) => toPublicId('req', id))],
      ...[requests.map(({ outcome }) => outcome), requests.map(({ errorCode }) => errorCode)],
      ...[requests.map(({ httpStatus }) => httpStatus), requests.map(({ streamed }) => streamed)],
      ...[requests.map(({ latencyMs }) => latencyMs), requests.map(({ at }) => at)],
    ],
  );
}

async function takeBackWhatIsLeft(client: pg.Client, accountId: string, at: Date): Promise<void> {
  const id = createUuidV7Source(() => at.getTime())();
  const { rowCount } = await client.query(
    `INSERT INTO adjustment (id, account_id, amount_nano, reason, reference, made_by, created_at)
     SELECT $2, account_id, -balance_nano, 'What was left of the demo month', 'demo-month-end', 'npm start', $3
     FROM account_funds WHERE account_id = $1 AND balance_nano > 0`,
    [accountId, id, at],
  );
  if (rowCount === 0) return;
  await client.query(
    `SELECT ledger_append($2, $1, 'adjustment', 'customer', 'adjustments', -amount_nano, NULL, $3)
     FROM adjustment WHERE account_id = $1 AND id = $2`,
    [accountId, id, at],
  );
}
