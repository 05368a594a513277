/**
 * The floor: the durable work of a paid request and nothing else: `floor rows|ledger`. A hold that every session of
 * PostgreSQL sees, the upstream's call, a charge that is on the disk, then the response. It knows no keys, limits,
 * prices or streams, and validates nothing.
 *
 * `rows` is the least that holds and charges money: three tables, one statement. `ledger` is the same server with the
 * ledger of a gateway, which has rules, counters and records.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { uuidV7 } from '@farebox/auth';
import { Coalescer } from '@farebox/flow';
import { openGatewayLedger } from '@farebox/ledger';
import pg from 'pg';
import { Pool } from 'undici';
import { admissionOf, USAGE } from '../ledger/designs';

const { UPSTREAM_ORIGIN = '', DATABASE_URL: databaseUrl = '', PORT, ACCOUNT_ID, API_KEY_ID } = process.env;
const upstream = new Pool(UPSTREAM_ORIGIN, { connections: 256, pipelining: 1 });

interface Books {
  /** Returns the id of a hold that is in force. */
  hold(): Promise<string>;
  /** Resolves when the charge is on the disk. */
  charge(holdId: string): Promise<void>;
}

/** Each hold is 50,000 nano-dollars, each charge 20,000. */
const TABLES = `
  CREATE TABLE floor_account (balance_nano bigint NOT NULL, held_nano bigint NOT NULL CHECK (held_nano <= balance_nano));
  CREATE TABLE floor_hold (id uuid PRIMARY KEY, amount_nano bigint NOT NULL);
  CREATE TABLE floor_charge (id uuid PRIMARY KEY, cost_nano bigint NOT NULL, charged_at timestamptz NOT NULL);
  INSERT INTO floor_account VALUES (1000000000000000, 0)`;
const RUN = `
  WITH held AS (INSERT INTO floor_hold SELECT id, 50000 FROM unnest($1::uuid[]) id RETURNING amount_nano),
       ended AS (DELETE FROM floor_hold WHERE id = ANY ($2::uuid[]) RETURNING id, amount_nano),
       charged AS (INSERT INTO floor_charge SELECT id, 20000, now() FROM ended RETURNING cost_nano)
  UPDATE floor_account
  SET held_nano = held_nano + (SELECT coalesce(sum(amount_nano), 0) FROM held)
                            - (SELECT coalesce(sum(amount_nano), 0) FROM ended),
      balance_nano = balance_nano - (SELECT coalesce(sum(cost_nano), 0) FROM charged)
  RETURNING set_config('synchronous_commit', $3, true)`;

interface Waiting {
  id: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** On one connection: everything that waits goes out as one call, and waits for the disk if there is a charge. */
async function openRows(): Promise<Books> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(TABLES);
  let [holds, charges]: [Waiting[], Waiting[]] = [[], []];
  const calls = new Coalescer({
    isDue: () => holds.length + charges.length > 0,
    async send() {
      const sent = { holds, charges };
      [holds, charges] = [[], []];
      const ids = [sent.holds, sent.charges].map((waiting) => waiting.map(({ id }) => id));
      const values = [...ids, sent.charges.length > 0 ? 'on' : 'off'];
      try {
        await client.query({ name: 'run', text: RUN, values });
        for (const { resolve } of [...sent.holds, ...sent.charges]) resolve();
      } catch (error) {
        for (const { reject } of [...sent.holds, ...sent.charges]) reject(error);
      }
    },
    begins: 'end_of_turn',
  });
  const wait = (list: Waiting[], id: string): Promise<void> =>
    new Promise((resolve, reject) => {
      list.push({ id, resolve, reject });
      calls.start();
    });
  return {
    async hold() {
      const id = uuidV7();
      await wait(holds, id);
      return id;
    },
    charge: (holdId) => wait(charges, holdId),
  };
}

async function openLedger(): Promise<Books> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const fail = (error: unknown): never => {
    throw error;
  };
  const ledger = await openGatewayLedger({ databaseUrl, pool, onLeaseError: fail });
  const customer = { accountId: ACCOUNT_ID ?? '', apiKeyId: API_KEY_ID ?? '' };
  return {
    async hold() {
      const admission = admissionOf(customer);
      const { outcome } = await ledger.admit(admission);
      if (outcome !== 'admitted') throw new Error(`a hold was refused: ${outcome}`);
      return admission.holdId;
    },
    async charge(holdId) {
      await ledger.settle({ holdId, accountId: customer.accountId, usage: { ...USAGE, streamed: false } });
    },
  };
}

interface Answer {
  status: number;
  type: string;
  body: Buffer;
}

function callUpstream(path: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answer = { status: 0, type: '' };
    const received: Buffer[] = [];
    const headers = ['content-type', 'application/json', 'authorization', 'Bearer upstream'];
    upstream.dispatch(
      { path, method: 'POST', body, headers },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, status, { 'content-type': type }) {
          Object.assign(answer, { status, type: String(type) });
        },
        onResponseData: (_controller, chunk) => received.push(chunk),
        onResponseEnd() {
          resolve({ ...answer, body: Buffer.concat(received) });
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}

function readBody(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve) => {
    req.on('end', () => {
      resolve(Buffer.concat(parts));
    });
  });
}

async function serve(req: IncomingMessage, books: Books): Promise<Answer> {
  const body = await readBody(req);
  const holdId = await books.hold();
  const answer = await callUpstream(req.url ?? '/', body);
  await books.charge(holdId);
  return answer;
}

async function main(): Promise<void> {
  const books = process.argv[2] === 'rows' ? await openRows() : await openLedger();
  const server = createServer((req, res) => {
    serve(req, books).then(
      ({ status, type, body }) => {
        res.writeHead(status, ['content-type', type, 'content-length', String(body.length)]).end(body);
      },
      () => res.destroy(),
    );
  });
  server.listen(Number(PORT), '127.0.0.1');
}

void main();
