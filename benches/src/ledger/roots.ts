import { closeDays, createRootSigner, findProof, verifyRoots } from '@farebox/ledger';
import type pg from 'pg';
import { say, toMarkdownTable } from '../bench';
import { type BenchLedger, generateHistory } from '../database';
import { postgresCpuReader } from '../processes';

const PROOFS = 100;

/** Times the roots of one day with this many entries: made, verified, and proofs of single entries. */
export async function reportRoots({ pool, customers }: BenchLedger, entries: number): Promise<void> {
  await generateHistory(pool, { requests: entries, days: 1, onProgress: () => undefined });
  await beginAndEndDays(pool);
  const postgresCpuMs = await postgresCpuReader(pool);
  const lines: string[][] = [];
  const time = async (name: string, per: number, work: () => Promise<unknown>): Promise<void> => {
    const [startMs, own, theirs] = [performance.now(), process.cpuUsage(), postgresCpuMs()];
    await work();
    const { user, system } = process.cpuUsage(own);
    const perSecond = (ms: number): string => (ms / 1_000 / per).toFixed(per === 1 ? 1 : 4);
    const ofPostgres = theirs === undefined ? Number.NaN : (postgresCpuMs() ?? Number.NaN) - theirs;
    lines.push([
      ...[name, perSecond(performance.now() - startMs), perSecond((user + system) / 1_000)],
      ...[perSecond(ofPostgres), String(Math.round(process.memoryUsage().rss / 1_048_576))],
    ]);
  };
  let runs = 0;
  await time('make the roots', 1, async () => {
    const signer = createRootSigner(Buffer.alloc(32, 1));
    for (let closed = 1; closed > 0 || (await hasDayToClose(pool)); runs++)
      closed = (await closeDays(pool, { signer }))?.closed.length ?? 0;
  });
  await time('verify them', 1, async () => {
    const { ok, differences } = await verifyRoots(pool);
    if (!ok) throw new Error(`the roots are not right: ${JSON.stringify(differences)}`);
  });
  await time('a proof', PROOFS, async () => {
    for (let i = 0; i < PROOFS; i++)
      await proveNewest(pool, customers[i % customers.length]?.accountId ?? '');
  });
  const headers = ['', 'seconds', 'CPU of Node', 'CPU of PostgreSQL', 'MiB of Node after it'];
  say(
    `\n## Roots of ${entries.toLocaleString('en')} entries, made in ${String(runs)} runs\n\n${toMarkdownTable(headers, lines)}`,
  );
}

/** The top-ups become older than the charges, and the days of all of them end. */
async function beginAndEndDays(pool: pg.Pool): Promise<void> {
  await pool.query(`
    ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only;
    UPDATE ledger_entry SET created_at = now() - interval '25 hours' WHERE seq = 1;
    ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only;
    UPDATE usage_sum_state SET summed_before = date_trunc('day', now() + interval '1 day', 'UTC')`);
}

async function hasDayToClose(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ has: boolean }>('SELECT ledger_day_to_close() IS NOT NULL AS has');
  return rows[0]?.has === true;
}

async function proveNewest(pool: pg.Pool, accountId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM ledger_entry WHERE account_id = $1 ORDER BY seq DESC LIMIT 1',
    [accountId],
  );
  const proof = await findProof(pool, accountId, rows[0]?.id ?? '');
  if (!proof) throw new Error('an entry has no proof');
}
