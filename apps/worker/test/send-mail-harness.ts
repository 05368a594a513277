import { createSession, toBrowserSha256, type Caller } from '@farebox/accounts';
import { createPool } from '@farebox/database';
import {
  askForOperatorMail,
  askForSignInMail,
  createMailer,
  postInviteMail,
  postLowBalanceMails,
} from '@farebox/mail';
import { createLogger } from '@farebox/observability';
import type { Language } from '@farebox/texts';
import {
  createTestDatabase,
  givenAccount,
  startSmtpReceiver,
  type GivenAccount,
  type SmtpReceiver,
  type TestDatabase,
  PATIENT_POOL,
} from '@farebox/testing';
import { claimDeliveries, createEndpoint, endAttempt, postTestEvent } from '@farebox/webhooks';
import { sendMail, tendMails, type SendMailParts } from '../src/mails';

const PUBLIC_URL = 'https://farebox.test';
export const OPERATOR_URL = 'https://operators.farebox.test';

/** The job, with its own database and mail server. */
export interface SendMailHarness {
  db: TestDatabase;
  smtp: SmtpReceiver;
  /** Everything that was logged. */
  logged(): string;
  records(): Record<string, unknown>[];
  givenPerson(account?: GivenAccount): Promise<{ accountId: string; email: string }>;
  /** Return the id of the mail. */
  postSignIn(address: string, language?: Language): Promise<string>;
  /** As the operator service does. */
  postOperatorLink(address: string): Promise<string>;
  postInvite(accountId: string): Promise<string>;
  postLowBalance(accountId: string, thresholdNano: bigint): Promise<string>;
  postNewBrowser(accountId: string, caller: Caller): Promise<string>;
  /** By a webhook that answers 410. */
  postWebhookDisabled(accountId: string, url: string): Promise<string>;
  /** One delivery of the job. */
  send(mailId: string, parts?: Partial<SendMailParts>): Promise<void>;
  /** As the periodic job for mails does. */
  postAgain(): Promise<void>;
  outcomeOf(mailId: string): Promise<string | null | undefined>;
  close(): Promise<void>;
}

export async function openSendMailHarness(): Promise<SendMailHarness> {
  const db = await createTestDatabase();
  const smtp = await startSmtpReceiver();
  const claims = createPool({ ...PATIENT_POOL, url: db.workerUrl, max: 10, applicationName: 'claims-test' });
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  const from = { name: 'Farebox', address: 'farebox@example.com' };
  const mailer = createMailer({ url: smtp.url, from });
  const brand = { name: 'Farebox', logoUrl: undefined, color: undefined, supportEmail: undefined };
  const urls = { publicUrl: PUBLIC_URL, operatorUrl: OPERATOR_URL };
  const parts = { pool: db.workerPool, claims, mailer, ...urls, brand, showsLinks: false, log };

  async function newest(): Promise<string> {
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM mail ORDER BY id DESC LIMIT 1');
    return rows[0]?.id ?? '';
  }

  return {
    db,
    smtp,
    logged: () => lines.join(''),
    records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    async givenPerson(account) {
      const accountId = await givenAccount(db.pool, account);
      return { accountId, email: `${accountId}@example.com` };
    },
    async postSignIn(address, language = 'en') {
      const browserSha256 = toBrowserSha256(address, 'browser');
      await askForSignInMail(db.accountPool, { address, language, browserSha256 });
      return newest();
    },
    async postOperatorLink(address) {
      await askForOperatorMail(db.pool, address);
      return newest();
    },
    async postInvite(accountId) {
      await postInviteMail(db.pool, accountId);
      return newest();
    },
    async postLowBalance(accountId, thresholdNano) {
      await db.pool.query('UPDATE account SET low_balance_nano = $2 WHERE id = $1', [
        accountId,
        thresholdNano,
      ]);
      expect(await postLowBalanceMails(db.workerPool)).toBe(1);
      return newest();
    },
    async postNewBrowser(accountId, caller) {
      await createSession(accountId, db.accountPool, { caller, browser: { token: 'new', isInvited: false } });
      return newest();
    },
    async postWebhookDisabled(accountId, url) {
      const wanted = { url, description: null, eventTypes: null, keyVersion: 1 };
      const endpoint = await createEndpoint(accountId, db.accountPool, wanted, 1);
      await postTestEvent(accountId, db.accountPool, endpoint?.id ?? '');
      const limits = { busyIds: [], most: 1, mostEach: 1, mostFailing: 1, leaseMs: 60_000 };
      for (const { endpointId, eventId } of await claimDeliveries(db.workerPool, limits)) {
        const gone = { isDelivered: false, status: 410, error: null, pauseMs: null };
        expect(await endAttempt(db.workerPool, { endpointId, eventId, ...gone })).toBe(true);
      }
      return newest();
    },
    send: (mailId, more = {}) => sendMail({ mailId }, { ...parts, ...more }),
    postAgain: () => tendMails({ pool: db.workerPool, log }),
    async outcomeOf(mailId) {
      const { rows } = await db.pool.query<{ outcome: string | null }>(
        'SELECT outcome FROM mail WHERE id = $1',
        [mailId],
      );
      return rows[0]?.outcome;
    },
    async close() {
      await claims.end();
      await smtp.close();
      await db.drop();
    },
  };
}

/** The token of the only link in a mail. */
export function tokenIn(text: string | undefined): string {
  const links = [...(text ?? '').matchAll(/https:\/\/farebox\.test\/auth\/links\/(lt-[\w-]{43})(?=\s)/g)];
  expect(links).toHaveLength(1);
  return links[0]?.[1] ?? '';
}
