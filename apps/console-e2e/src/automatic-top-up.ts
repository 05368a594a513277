import { waitUntil } from '@farebox/testing';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { visit, type Visit } from '../test/visit';

/** A customer saves a card, and it pays below the threshold until the bank, the ceiling or they end it. */
export function expectAutomaticTopUp(stack: () => ConsoleStack): void {
  describe('automatic top-up', () => {
    let owner: SignedIn;
    let spendings = 0;
    beforeAll(async () => {
      owner = await givenSignedIn(stack(), 'top-up@example.com', ['--credit', '6.00']);
    });
    afterAll(() => {
      stack().payments.cards.bank = 'pays';
    });

    const spend = (amount: string) =>
      stack().admin(
        ...['account', 'adjust', owner.accountId, '--amount', `-${amount}`],
        ...['--reason', 'spent', '--reference', `top-up-spending-${String(++spendings)}`, '--yes'],
      );
    /** The pause after a decline is an hour. */
    const endPause = () => stack().db.pool.query('UPDATE auto_top_up SET next_attempt_at = consented_at');
    const failed = async () => {
      const { rows } = await stack().db.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM top_up_attempt WHERE state = 'failed'`,
      );
      return rows[0]?.count;
    };
    const asOwner = (act: (visited: Visit) => Promise<void>) => {
      const { payments, baseUrl } = stack();
      return visit(stack(), { ...signedIn(owner, baseUrl), elsewhere: [payments.url] }, act);
    };
    /** Opens the page again until it has the text. */
    const untilShown = async ({ page, open }: Visit, text: RegExp | string) => {
      for (let round = 0; round < 20; round++) {
        await open('/billing');
        const shown = await page
          .getByText(text)
          .first()
          .waitFor({ timeout: 3_000 })
          .then(
            () => true,
            () => false,
          );
        if (shown) return;
      }
      throw new Error(`the page did not show ${String(text)}`);
    };

    it('is paid by a saved card through threshold, failures and ceiling', async () => {
      const { payments, mails } = stack();
      await asOwner(async (visited) => {
        const { page, open } = visited;
        await open('/billing');
        await page.getByText('No card is saved.').waitFor();
        await page.getByRole('button', { name: 'Save a card' }).click();
        await page.getByRole('heading', { name: 'Save your card' }).waitFor();
        await page.getByRole('button', { name: 'Save card' }).click();
        await page.getByText('Saved card: Visa ending in 4242, valid to 12/2031').waitFor();

        await order(page, { threshold: '5.00', amount: '10.00', ceiling: '20.00' });
        await page.getByText('$0.00 of at most $20.00 charged this month (UTC)').waitFor();
        expect(payments.cards.payments).toEqual([]);
        await spend('2.00');
        await untilShown(visited, 'The last payment of $10.00 was made.');
        await page.getByText('$14.00', { exact: true }).first().waitFor();

        payments.cards.bank = 'wants_customer';
        await spend('10.00');
        await untilShown(
          visited,
          'The last payment of $10.00 failed: the bank asks for a confirmation that only you can give',
        );
        payments.cards.bank = 'declines';
        for (const count of [2, 3]) {
          await endPause();
          await waitUntil(
            async () => (await failed()) === count,
            `the payment failed ${String(count)} times`,
          );
        }
        await untilShown(visited, 'It was switched off because the last three payments were declined.');
        await waitUntil(
          () => mails.mails.some(({ text }) => text?.includes('its last three payments were declined')),
          'the customer is mailed',
        );

        payments.cards.bank = 'pays';
        await order(page, { threshold: '5.00', amount: '10.00', ceiling: '20.00' });
        await untilShown(visited, '$20.00 of at most $20.00 charged this month (UTC)');
        await spend('10.00');
        await untilShown(visited, 'The monthly ceiling is reached');
        expect(payments.cards.payments.filter(({ status }) => status === 'succeeded')).toHaveLength(2);

        await page.getByRole('button', { name: 'Remove the card' }).click();
        await page.getByText('No card is saved.').waitFor();
        await page.getByText('Off', { exact: true }).waitFor();
      });
    }, 240_000);
  });
}

async function order(
  page: Page,
  { threshold, amount, ceiling }: { threshold: string; amount: string; ceiling: string },
): Promise<void> {
  await page.getByRole('textbox', { name: 'When less than this is available' }).fill(threshold);
  await page.getByRole('textbox', { name: 'Add this amount' }).fill(amount);
  await page.getByRole('textbox', { name: 'At most in a month' }).fill(ceiling);
  await page.getByRole('checkbox', { name: /without asking me each time/ }).check();
  await page.getByRole('button', { name: 'Switch on automatic top-up' }).click();
  await page.getByRole('button', { name: 'Change automatic top-up' }).waitFor();
}
