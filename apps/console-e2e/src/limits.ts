import { fromPublicId } from '@farebox/auth';
import { givenPastCharge } from '@farebox/testing';
import { textsIn } from '@farebox/texts/every-language';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { cellsOf } from '../test/tables';
import { visit, type Visit, type VisitOptions } from '../test/visit';

/** The limits that an operator has set, what is used of them, and when there is room again. */
export function expectLimits(stack: () => ConsoleStack): void {
  describe('the limits', () => {
    let owner: SignedIn;
    let keyPath = '';
    beforeAll(async () => {
      const { admin, baseUrl, db } = stack();
      owner = await givenSignedIn(stack(), 'limits@example.com');
      const call = callerWith(baseUrl, owner.sessionToken);
      const { key_public_id: key = '' } = await call('POST', '/v1/api-keys', { name: 'Nightly job' });
      keyPath = `/keys/${key}`;
      const ofAccount = ['limit', 'set', '--account', owner.accountId];
      await admin(...ofAccount, '--model', 'small', '--spend', '5.00', '--per', 'week');
      await admin(...ofAccount, '--requests', '8000', '--per', 'month');
      await admin('limit', 'set', '--key', key, '--concurrency', '4');
      await givenPastCharge(db.pool, {
        accountId: fromPublicId('acct', owner.accountId) ?? '',
        apiKeyId: fromPublicId('key', key) ?? '',
        ...{ at: new Date(), modelId: 'small', costNano: 4_750_000_000n },
      });
    });
    const asOwner = (act: (visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
      visit(stack(), { ...signedIn(owner, stack().baseUrl), ...options }, act);

    it('are listed with what is used and left, and when they begin again', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/');
        await page.getByRole('navigation').getByRole('link', { name: 'Limits', exact: true }).click();
        await page.getByRole('cell', { name: 'Spend per week' }).waitFor();
        const rows = await cellsOf(page.getByRole('region', { name: 'Current use' }));
        const midnight = /^\d{1,2} \w+, 00:00:00$/;
        expect(rows.slice(-3)).toEqual([
          ['Spend per week', 'Model small', '$4.75 of $5.00', '$0.25', expect.stringMatching(midnight)],
          ['Requests per month', 'The account', '1 of 8,000', '7,999', expect.stringMatching(midnight)],
          ['Requests at once', 'API key Nightly job', '0 of 4', '4', 'When a request ends'],
        ]);
        await page.getByRole('progressbar', { name: 'Spend per week: 95 per cent used' }).waitFor();
        await page.getByRole('link', { name: 'Nightly job' }).click();
        await page.getByRole('heading', { level: 1, name: 'Nightly job' }).waitFor();
      });
    }, 120_000);

    it('of a key are on its page', async () => {
      await asOwner(async ({ page, open }) => {
        await open(keyPath);
        const rows = await cellsOf(page.getByRole('region', { name: 'Limits' }));
        expect(rows.map(([name]) => name)).toEqual(['Requests at once']);
      });
    }, 120_000);

    it('are said to be none where an operator has set none', async () => {
      await asOwner(async ({ page, open }) => {
        await page.route('**/v1/account/limits', (route) =>
          route.fulfill({ json: { object: 'list', data: [] } }),
        );
        await page.route('**/v1/account', async (route) => {
          const body = (await (await route.fetch()).json()) as { caps: object };
          const caps = { ...body.caps, daily_spend: null, daily_requests: null };
          await route.fulfill({ json: { ...body, caps } });
        });
        await open('/limits');
        await page.getByText('No limits set').waitFor();
        await page
          .getByRole('region', { name: 'Each API key' })
          .getByText(/ in \d+ seconds?$/)
          .waitFor();
      });
    }, 120_000);

    it.each([320, 390])(
      'fit a phone of %i px, in German too',
      async (width) => {
        const { t } = textsIn('de');
        await asOwner(
          async ({ page, open }) => {
            await open('/limits');
            await page
              .getByText(t('{measure} per {window}', { measure: t('Spend'), window: t('week') }))
              .waitFor();
            const used = await page.getByText(/^4,75\s\$ von 5,00\s\$$/).boundingBox();
            expect((used?.x ?? 0) + (used?.width ?? width)).toBeLessThan(width);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
          },
          { viewport: { width, height: 800 }, locale: 'de-DE' },
        );
      },
      120_000,
    );
  });
}
