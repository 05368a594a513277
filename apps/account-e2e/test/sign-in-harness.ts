import { createSignInLink, type SignInLinkPurpose } from '@farebox/accounts';
import { newSession } from '@farebox/api';
import { givenAccount, startSmtpReceiver, type GivenAccount, type SmtpReceiver } from '@farebox/testing';
import {
  openAccountHarness,
  type AccountHarness,
  type HarnessOptions,
  type Received,
} from './account-harness';
import { startWorkerProcess, type WorkerProcess } from './processes';

const PUBLIC_URL = 'https://farebox.test';
const HOST = 'farebox.test';
const LONGEST_WAIT_MS = 60_000;

/** A person who can receive mail. */
export interface Person {
  accountId: string;
  email: string;
}

/**
 * The running service with a worker and a mail server. The service trusts a test's claims about the origin of
 * a request.
 */
export interface SignInHarness extends AccountHarness {
  smtp: SmtpReceiver;
  worker: WorkerProcess;
  /** Starts another worker, which the test or the harness ends. */
  startWorker(): Promise<WorkerProcess>;
  givenPerson(account?: GivenAccount): Promise<Person>;
  /** The token of a link that was created in the database. */
  givenToken(person: Person, purpose?: SignInLinkPurpose): Promise<string>;
  /** Waits until every posted mail has been processed. */
  untilMailsEnded(): Promise<void>;
  /** Asks for a link, by default from a new network. */
  ask(email: unknown, from?: string): Promise<Received>;
  /** Spends a link as a program does. */
  signIn(token: string, from?: string): Promise<Received>;
  /** Spends a link with the form of its page, as a browser does. */
  submit(token: string, headers?: Record<string, string>): Promise<Received>;
}

export async function openSignInHarness({
  environment = {},
  ...options
}: HarnessOptions = {}): Promise<SignInHarness> {
  const smtp = await startSmtpReceiver();
  const harness = await openAccountHarness({
    ...options,
    environment: {
      FAREBOX_PUBLIC_URL: PUBLIC_URL,
      FAREBOX_TRUSTED_PROXIES: '127.0.0.1',
      ...environment,
    },
  });
  const workers: WorkerProcess[] = [];
  async function startWorker(): Promise<WorkerProcess> {
    const worker = await startWorkerProcess(harness.workerUrl, {
      FAREBOX_MAIL_URL: smtp.url,
      FAREBOX_MAIL_FROM: 'Farebox <farebox@example.com>',
      FAREBOX_PUBLIC_URL: PUBLIC_URL,
    });
    workers.push(worker);
    return worker;
  }
  return {
    ...harness,
    smtp,
    worker: await startWorker(),
    startWorker,
    async givenPerson(account) {
      const accountId = await givenAccount(harness.pool, account);
      return { accountId, email: `${accountId}@example.com` };
    },
    async givenToken({ accountId }, purpose = 'sign_in') {
      return (await createSignInLink(accountId, harness.pool, purpose)).token;
    },
    async untilMailsEnded() {
      const deadlineMs = Date.now() + LONGEST_WAIT_MS;
      while ((await harness.pool.query('SELECT FROM mail WHERE ended_at IS NULL')).rowCount) {
        if (Date.now() > deadlineMs) throw new Error('unprocessed mails remain');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    ask: (email, from = aNetwork()) =>
      harness.send('POST', '/auth/links', {
        headers: { 'x-forwarded-for': from, 'x-request-id': 'the-same' },
        body: { email },
      }),
    signIn: (token, from = aNetwork()) =>
      harness.send('POST', '/auth/sessions', {
        headers: { 'x-forwarded-for': from, 'x-request-id': 'the-same', 'user-agent': 'test-cli/1' },
        body: { token },
      }),
    submit: (token, headers = {}) =>
      harness.send('POST', '/auth/sessions', {
        headers: {
          host: HOST,
          origin: PUBLIC_URL,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': aNetwork(),
          ...headers,
        },
        body: new URLSearchParams({ token }).toString(),
      }),
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await harness.close();
      await smtp.close();
    },
  };
}

let networks = 0;

/** An address that no other request of this file uses. */
export function aNetwork(): string {
  networks++;
  return `10.${String(networks >> 16)}.${String((networks >> 8) & 255)}.${String(networks & 255)}`;
}

/** The token of the only link in a mail. */
export function tokenIn(text: string | undefined): string {
  const links = [...(text ?? '').matchAll(/https:\/\/farebox\.test\/auth\/links\/(lt-[\w-]{43})(?=\s)/g)];
  expect(links).toHaveLength(1);
  return links[0]?.[1] ?? '';
}

/** The session token in a JSON answer. */
export function sessionTokenIn(answer: Received): string {
  expect(answer.status).toBe(201);
  return newSession.parse(answer.json).session_token;
}

/**
 * The part of an answer without the time of day and the random value of the browser's cookie, for comparing
 * answers that must not differ.
 */
export function comparable({ status, headers, text }: Received): unknown {
  const cookies = headers['set-cookie']?.map((cookie) => cookie.replace(/^farebox_browser=[^;]{22};/, ''));
  return { status, text, headers: { ...headers, date: undefined, 'set-cookie': cookies } };
}
