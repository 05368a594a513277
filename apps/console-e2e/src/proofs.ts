import { uuidV7 } from '@farebox/auth';
import { closeDays, createRootSigner, findProof, toPublishedProof } from '@farebox/ledger';
import { givenAccount } from '@farebox/testing';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { visit } from '../test/visit';

type Proof = ReturnType<typeof toPublishedProof>;

/** The page that checks proofs, for somebody who is not signed in. */
export function expectProofs(stack: () => ConsoleStack): void {
  let proof: Proof;
  beforeAll(async () => {
    proof = await givenProof(stack());
  });

  it('somebody checks a proof in the browser, against the published root, and sees that another one was changed', async () => {
    await visit(stack(), {}, async ({ page, open }) => {
      await open('/verify');
      await choose(page, { object: 'request', proof });
      await page.getByRole('alert').getByText('The proof holds', { exact: true }).waitFor();
      await page.getByText(/^\$12\.50 at 2020-01-01T12:00:00/).waitFor();

      await choose(page, { ...proof, entry: proof.entry.replace(' 12500000000 ', ' 12500000001 ') });
      await page.getByText('The entry is not in the root.').waitFor();
      await choose(page, { nothing: true });
      await page.getByText('There is no proof in this file.').waitFor();
    });
  }, 180_000);
}

async function choose(page: Page, content: object): Promise<void> {
  await page.locator('input[type=file]').setInputFiles({
    name: 'proof.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(content)),
  });
}

/** The proof of a top-up on a day that has its root. The days after it are left to the worker. */
async function givenProof({ db: { pool } }: ConsoleStack): Promise<Proof> {
  const [id, accountId] = [uuidV7(), await givenAccount(pool)];
  await pool.query(
    `SELECT ledger_append($1, $2, 'top_up', 'funding', 'customer', 12500000000, NULL, '2020-01-01T12:00:00Z')`,
    [id, accountId],
  );
  await pool.query(
    `UPDATE usage_sum_state SET summed_before = greatest(summed_before, '2020-01-02T00:00:00Z')`,
  );
  const signer = createRootSigner(Buffer.alloc(32, 7));
  // A run without time adds the blocks, the next one closes that day.
  for (let runs = 0; runs < 2; runs++) await closeDays(pool, { signer, mostMs: 0 });
  const proof = await findProof(pool, accountId, id);
  if (!proof) throw new Error('the day has no root');
  return toPublishedProof(proof);
}
