import { createTestDatabase, PATIENT_POOL, type TestDatabase } from '@farebox/testing';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { assertDirect } from './assert-direct';
import { NotMigratedError } from './assert-migrated';
import { createPool } from './pool';

let db: TestDatabase;
let pooler: Server;
beforeAll(async () => {
  db = await createTestDatabase();
  pooler = await startPooler(Number(new URL(db.serviceUrl).port));
});
afterAll(async () => {
  pooler.close();
  await db.drop();
});

/** Drops what a connection asks for, as PgBouncer does with `ignore_startup_parameters`. */
async function startPooler(port: number): Promise<Server> {
  const server = createServer((client) => {
    const target = connect({ port, host: '127.0.0.1' });
    client.once('data', (startup) => {
      target.write(withoutTimeouts(Buffer.from(startup)));
      client.pipe(target);
    });
    target.pipe(client);
    for (const socket of [client, target]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A startup message: its length, the version of the protocol, names and values, and a zero. */
function withoutTimeouts(startup: Buffer): Buffer {
  const words = startup.subarray(8).toString('latin1').split('\0');
  const kept = words.flatMap((name, i) =>
    i % 2 === 0 && name !== '' && !name.endsWith('_timeout') ? [`${name}\0${words[i + 1] ?? ''}\0`] : [],
  );
  const body = Buffer.from(`${kept.join('')}\0`, 'latin1');
  const message = Buffer.concat([startup.subarray(0, 8), body]);
  message.writeInt32BE(message.length);
  return message;
}

async function assertDirectAt(url: string, lockTimeoutMs?: number): Promise<void> {
  const pool = createPool({
    url,
    max: 1,
    applicationName: 'direct-test',
    connectTimeoutMs: PATIENT_POOL.connectTimeoutMs,
    ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
  });
  try {
    await assertDirect(pool);
  } finally {
    await pool.end();
  }
}

it('takes a server, whatever the time-outs of the login', async () => {
  await assertDirectAt(db.serviceUrl);
  await assertDirectAt(db.url);
});

const throughPooler = (): string => {
  const url = new URL(db.serviceUrl);
  url.port = String((pooler.address() as AddressInfo).port);
  return url.href;
};

it('refuses a pooler although the login has one of the time-outs by itself', async () => {
  const ownLimitMs = 5_000;
  await expect(assertDirectAt(throughPooler(), ownLimitMs)).rejects.toThrow(NotMigratedError);
});

it('refuses a pooler, which drops the time-outs of a connection', async () => {
  const refusal = assertDirectAt(throughPooler());
  await expect(refusal).rejects.toThrow(NotMigratedError);
  await expect(refusal).rejects.toThrow('A pooler stands between this service and PostgreSQL');
});
