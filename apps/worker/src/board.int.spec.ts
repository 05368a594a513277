import type { RedisServer } from '@farebox/local-services';
import { createTestDatabase, startTestRedis, type TestDatabase } from '@farebox/testing';
import { startWorkerWithBoard, TOKEN, type BoardHarness } from '../test/board-harness';

interface ShownQueue {
  name: string;
  readOnlyMode: boolean;
  counts: Record<string, number>;
  jobs: { id: string; name: string }[];
}

const LONGEST_WAIT_MS = 60_000;

describe.each(['redis', 'postgres'] as const)('the board for queues in %s', (kind) => {
  let database: TestDatabase;
  let redis: RedisServer | undefined;
  let board: BoardHarness;
  beforeAll(async () => {
    database = await createTestDatabase();
    if (kind === 'redis') redis = await startTestRedis();
    const queue: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
    board = await startWorkerWithBoard({ DATABASE_URL: database.workerUrl, ...queue });
  });
  afterAll(async () => {
    expect(await board.stop()).toBe(0);
    await redis?.remove();
    await database.drop();
  });

  async function readQueues(query: string): Promise<ShownQueue[]> {
    const answer = await board.ask(`/api/queues?${query}`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { queues: ShownQueue[] }).queues;
  }

  it('shows every queue with its jobs', async () => {
    const deadlineMs = Date.now() + LONGEST_WAIT_MS;
    const query = 'activeQueue=farebox&status=latest&page=1&jobsPerPage=50';
    let queues: ShownQueue[] = [];
    const jobs = (): string[] =>
      queues.find(({ name }) => name === 'farebox')?.jobs.map((job) => job.name) ?? [];
    while (!(jobs().includes('sweep-holds') && jobs().includes('sum-usage')) && Date.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      // A queue that stalls for a moment is not shown.
      queues = await readQueues(query).catch(() => queues);
    }
    expect(jobs()).toEqual(expect.arrayContaining(['sweep-holds', 'sum-usage']));
    expect(queues.map(({ name }) => name).sort()).toEqual(['farebox', 'farebox-charges', 'farebox-mail']);
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  });

  it('is a page with its own script and style, which may load nothing from elsewhere', async () => {
    const answer = await board.ask('/');
    const page = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page).toContain('<title>Farebox queues</title>');
    const [, script = ''] = /<script defer src="([^"]+main[^"]+)"/.exec(page) ?? [];
    const [, style = ''] = /<link href="(static\/css[^"]+)"/.exec(page) ?? [];
    for (const [file, type] of [
      [script, 'javascript'],
      [style, 'css'],
    ] as const) {
      const part = await board.ask(`/${file}`);
      expect([file, part.status]).toEqual([file, 200]);
      expect(part.headers.get('content-type')).toContain(type);
    }
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('permissions-policy')).toContain('camera=()');
  });

  it('asks a browser for the token, and accepts it as a password', async () => {
    const refused = await board.ask('/', { authorization: null });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Farebox queues", charset="UTF-8"',
    ]);
    const authorization = `Basic ${Buffer.from(`ops:${TOKEN}`).toString('base64')}`;
    expect((await board.ask('/', { authorization })).status).toBe(200);
  });

  it.each(['/', '/api/queues', '/api/redis/stats', '/static/js/anything.js', '/queue/farebox', '/nothing'])(
    'serves none of %s without the token',
    async (path) => {
      for (const authorization of [null, `Bearer ${TOKEN}x`, 'Basic b3BzOg==']) {
        const answer = await board.ask(path, { authorization });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(await answer.json()).toMatchObject({ error: { code: 'authentication_error' } });
      }
    },
  );

  it.each([
    ['PUT', '/api/queues/farebox/pause'],
    ['PUT', '/api/queues/farebox/retry/failed'],
    ['PUT', '/api/queues/farebox/obliterate'],
    ['POST', '/api/queues/farebox/add'],
    ['DELETE', '/api/queues/farebox/job-schedulers/sweep-holds'],
  ])('is read-only: %s %s', async (method, path) => {
    const answer = await board.ask(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('serves nothing else', async () => {
    expect((await board.ask('/nothing')).status).toBe(404);
    expect((await board.ask('/static/../package.json')).status).toBe(404);
    expect((await board.ask('/static/%2e%2e/%2e%2e/package.json')).status).toBe(404);
  });
});
