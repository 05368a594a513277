import { isDeepStrictEqual } from 'node:util';
import { createSession, createSignInLink, takeAttempt } from '@farebox/accounts';
import { uuidV7 } from '@farebox/auth';
import { applyCatalog, parseCatalog, readCatalog, scheduleCatalog } from '@farebox/catalog';
import type { JobName, JobPayload } from '@farebox/jobs';
import { openReview, verifyLedger } from '@farebox/ledger';
import {
  givenAccount,
  givenApiKey,
  givenPastCharge,
  waitUntil,
  type SmtpReceiver,
  type TestDatabase,
} from '@farebox/testing';
import pg from 'pg';
import { openHold } from './open-hold';
import { openAnswersHarness } from './kept-answers-harness';

export interface Surroundings {
  db: TestDatabase;
  mailServer: SmtpReceiver;
}

/** A job with something to do, and the expected state after it. */
export interface DeliveryCase<Name extends JobName> {
  /** The worker's environment, if the job depends on it. */
  environment?: Record<string, string>;
  given: (surroundings: Surroundings) => Promise<JobPayload<Name>>;
  effect: (surroundings: Surroundings) => Promise<unknown>;
  expected: unknown;
  /** Resolves when PostgreSQL has done what the job asked it for. */
  done?: (surroundings: Surroundings) => Promise<void>;
}

const NOTHING = {};

/** Prices at which ten prompt tokens cost a hundred nano-dollars. */
const PRICED = `
upstreams: [{ id: u, base_url: "http://127.0.0.1:9/v1" }]
models:
  - { id: small, routes: [{ upstream: u, model: m }], input_price: 0.01, output_price: 0, context_window: 9, max_output_tokens: 9 }`;

/** The 15th of the UTC month this many months ago. */
function monthsAgo(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15));
}

async function givenCustomer({ pool }: TestDatabase): Promise<{ accountId: string; apiKeyId: string }> {
  const accountId = await givenAccount(pool, { balanceNano: 1_000n });
  return { accountId, apiKeyId: await givenApiKey(pool, accountId) };
}

/** The row or rows of a query, untyped. */
async function rowsOf({ pool }: TestDatabase, sql: string): Promise<unknown> {
  return (await pool.query<Record<string, unknown>>(sql)).rows;
}

const overlongLocks = ({ db }: Surroundings): Promise<unknown> =>
  rowsOf(
    db,
    `SELECT FROM pg_locks WHERE relation = '_prisma_migrations'::regclass AND pid <> pg_backend_pid()`,
  );

/** Every existing job: a missing one does not compile. */
export const DELIVERY_CASES: { [Name in JobName]: DeliveryCase<Name> } = {
  'sweep-holds': {
    async given({ db }) {
      for (let holds = 0; holds < 3; holds++) await openHold(db, { isAbandoned: true });
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT count(*)::int FROM hold) AS holds, (SELECT sum(held_nano)::int FROM account_funds) AS held,
                (SELECT count(*)::int FROM billing_review WHERE reason = 'gateway_lost') AS reviews`,
      ),
    expected: [{ holds: 0, held: 0, reviews: 3 }],
  },

  'purge-answers': {
    async given({ db }) {
      const harness = await openAnswersHarness(db);
      for (const key of ['a', 'b', 'kept']) await harness.givenAnswer(key);
      await harness.lapse('a', 'b');
      await harness.close();
      return NOTHING;
    },
    effect: ({ db }) => rowsOf(db, 'SELECT key FROM idempotency_claim'),
    expected: [{ key: 'kept' }],
  },

  'purge-sign-ins': {
    async given({ db }) {
      const accountId = await givenAccount(db.pool);
      await createSignInLink(accountId, db.workerPool, 'sign_in');
      await takeAttempt(db.accountPool, { what: 'a', who: 'b' }, { burst: 1, everyMs: 1_000 });
      await createSession(accountId, db.accountPool);
      await db.pool.query(`
        UPDATE sign_in_link SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days';
        UPDATE sign_in_throttle SET recovered_at = recovered_at - interval '2 days';
        UPDATE account_session SET revoked_at = now() - interval '31 days';
        INSERT INTO credential_event (at, account_id, credential, credential_id, action, actor_kind, actor)
        SELECT now() - interval '10 years', gen_random_uuid(), 'session', gen_random_uuid(), 'revoke', 'system', 'a job'`);
      await createSession(accountId, db.accountPool);
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT count(*)::int FROM sign_in_link) AS links, (SELECT count(*)::int FROM sign_in_throttle) AS throttles,
                (SELECT count(*)::int FROM account_session) AS sessions,
                (SELECT count(*)::int FROM credential_event) AS events`,
      ),
    expected: [{ links: 0, throttles: 0, sessions: 1, events: 2 }],
  },

  'apply-scheduled-catalog': {
    async given({ db }) {
      await applyCatalog(db.pool, parseCatalog(PRICED, {}));
      const text = PRICED.replace('0.01', '0.02');
      await scheduleCatalog(db.pool, {
        ...{ applyAt: new Date(), baseVersion: 1, name: 'new.yaml', scheduledBy: 'ada' },
        ...{ text, catalog: parseCatalog(text, {}), details: { changed_entries: 1, changes: '' } },
      });
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT version FROM catalog_state) AS version, (SELECT count(*)::int FROM price_version) AS prices,
                (SELECT count(*)::int FROM operator_action) AS actions`,
      ),
    expected: [{ version: 2, prices: 2, actions: 1 }],
  },

  'sum-usage': {
    async given({ db }) {
      const customer = await givenCustomer(db);
      for (let charges = 0; charges < 2; charges++) {
        await givenPastCharge(db.pool, { ...customer, at: monthsAgo(1) });
      }
      // No transaction of another test on this server is older than the end of these hours.
      await db.pool.query(
        `UPDATE usage_sum_state SET closing_before = date_trunc('day', now(), 'UTC'), closing_xid = '0'`,
      );
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(db, 'SELECT grain::text, requests::int, cost_nano::int FROM usage_sum ORDER BY usage_sum.grain'),
    expected: ['hour', 'hour_key', 'hour_model', 'day', 'day_key', 'day_model', 'day_key_model'].map(
      (grain) => ({
        grain,
        requests: 2,
        cost_nano: 200,
      }),
    ),
  },

  'find-low-balances': {
    async given({ db }) {
      await givenCustomer(db);
      await db.pool.query('UPDATE account SET low_balance_nano = 5000');
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(db, 'SELECT m.kind::text, m.id = o.id AS posted FROM mail m FULL JOIN outbox o ON o.id = m.id'),
    expected: [{ kind: 'low_balance', posted: true }],
  },

  'tend-mails': {
    async given({ db }) {
      await db.pool.query(
        `INSERT INTO mail (id, kind, address, created_at, ended_at, outcome)
         VALUES ($1, 'sign_in', 'ada@example.com', now() - interval '2 days', NULL, NULL),
                ($2, 'sign_in', NULL, now() - interval '40 days', now() - interval '39 days', 'sent')`,
        [uuidV7(), uuidV7()],
      );
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(db, 'SELECT m.id = o.id AS posted FROM mail m FULL JOIN outbox o ON o.id = m.id'),
    expected: [{ posted: true }],
  },

  'issue-invoices': {
    async given({ db }) {
      for (let accounts = 0; accounts < 3; accounts++) {
        const customer = await givenCustomer(db);
        await givenPastCharge(db.pool, { ...customer, at: monthsAgo(3) });
      }
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        'SELECT sequence, total_nano::int AS total, count(*) OVER ()::int AS count FROM invoice ORDER BY sequence',
      ),
    expected: [1, 2, 3].map((sequence) => ({ sequence, total: 100, count: 3 })),
  },

  'check-books': {
    async given({ db }) {
      const customer = await givenCustomer(db);
      await applyCatalog(db.pool, parseCatalog(PRICED, {}));
      const priceVersionId = (await readCatalog(db.pool)).models.get('small')?.price.id ?? '';
      await givenPastCharge(db.pool, { ...customer, at: monthsAgo(1), priceVersionId, promptTokens: 10 });
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT count(*)::int FROM ledger_checkpoint) AS checkpoints, (SELECT differences FROM ledger_check),
                (SELECT spent_nano::int FROM ledger_checkpoint_day) AS spent`,
      ),
    expected: [{ checkpoints: 1, differences: 0, spent: 100 }],
  },

  'close-days': {
    environment: { FAREBOX_ROOT_SIGNING_KEY: '07'.repeat(32) },
    async given({ db }) {
      const [id, accountId] = [uuidV7(), await givenAccount(db.pool)];
      await db.pool.query(
        `SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 500, NULL, now() - interval '2 days')`,
        [id, accountId],
      );
      await db.pool.query(
        `INSERT INTO funding (id, account_id, method, reference, amount_nano, created_at)
         SELECT id, account_id, 'manual', id::text, amount_nano, created_at FROM ledger_entry WHERE id = $1`,
        [id],
      );
      await db.pool.query(`UPDATE usage_sum_state SET summed_before = date_trunc('day', now(), 'UTC')`);
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT entries::int, amount_nano::int, signature IS NOT NULL AS signed FROM ledger_root ORDER BY day`,
      ),
    expected: [
      { entries: 1, amount_nano: 500, signed: true },
      { entries: 0, amount_nano: 0, signed: true },
    ],
  },

  'purge-requests': {
    async given({ db }) {
      const customer = await givenCustomer(db);
      for (const months of [16, 15, 1])
        await givenPastCharge(db.pool, { ...customer, at: monthsAgo(months) });
      await verifyLedger(db.workerPool);
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT count(*)::int FROM usage_record) AS records,
                (SELECT count(*)::int FROM ledger_entry WHERE kind = 'charge') AS charges`,
      ),
    expected: [{ records: 1, charges: 3 }],
  },

  'end-overlong-sessions': {
    environment: { FAREBOX_LONGEST_TRANSACTION: '1s' },
    async given({ db }) {
      const client = new pg.Client({ connectionString: db.serviceUrl });
      client.on('error', () => undefined);
      await client.connect();
      await client.query(
        'SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1 FROM _prisma_migrations',
      );
      await db.pool.query('SELECT pg_sleep(1.1)');
      return NOTHING;
    },
    effect: overlongLocks,
    expected: [],
    done: (surroundings) =>
      waitUntil(
        async () => isDeepStrictEqual(await overlongLocks(surroundings), []),
        'a terminated session has ended',
      ),
  },

  'make-partitions': {
    given: () => Promise.resolve(NOTHING),
    effect: ({ db }) =>
      rowsOf(db, "SELECT end_at > now() + interval '3 months' AS ahead FROM ledger_partition_reach()"),
    expected: [{ ahead: true }],
  },

  'reconcile-charge': {
    given: ({ db }) => openHold(db, { isAbandoned: false }),
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT count(*)::int FROM hold) AS holds, (SELECT held_nano::int FROM account_funds) AS held,
                (SELECT count(*)::int FROM billing_review WHERE reason = 'charge_failed' AND state = 'open') AS reviews`,
      ),
    expected: [{ holds: 0, held: 45, reviews: 1 }],
  },

  'apply-review-policy': {
    environment: { FAREBOX_REVIEW_POLICY: 'waive' },
    async given({ db }) {
      for (let holds = 0; holds < 3; holds++) {
        await openReview(db.servicePool, await openHold(db, { isAbandoned: false }));
      }
      return NOTHING;
    },
    effect: ({ db }) =>
      rowsOf(
        db,
        `SELECT (SELECT sum(held_nano)::int FROM account_funds) AS held,
                (SELECT count(*)::int FROM billing_review WHERE state = 'waived') AS waived`,
      ),
    expected: [{ held: 0, waived: 3 }],
  },

  'send-mail': {
    async given({ db }) {
      const mailId = uuidV7();
      await db.pool.query(`INSERT INTO mail (id, kind, account_id) VALUES ($1, 'invite', $2)`, [
        mailId,
        await givenAccount(db.pool, { inviteStatus: 'invited' }),
      ]);
      return { mailId };
    },
    effect: async ({ db, mailServer }) => ({
      sent: mailServer.mails.length,
      noted: await rowsOf(db, 'SELECT outcome::text FROM mail'),
      links: await rowsOf(db, 'SELECT count(*)::int FROM sign_in_link'),
    }),
    expected: { sent: 1, noted: [{ outcome: 'sent' }], links: [{ count: 1 }] },
  },
};
