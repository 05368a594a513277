import { setTimeout as pause } from 'node:timers/promises';
import { fromPublicId } from '@farebox/auth';
import { givenPastCharge } from '@farebox/testing';
import type { Locator, Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { cellsOf } from '../test/tables';
import { untilSettled, visit, type Visit, type VisitOptions } from '../test/visit';

const LONG_NAME = 'The Most Honourable Company of Carriers and Conveyors of Middle Norway';
/** Reads `gpj.exe` to the end of the line where nothing isolates it. */
const TURNED = 'exe.\u202Egpj';

/** Small things that were wrong once. */
export function expectPolish(stack: () => ConsoleStack): void {
  describe('the console', () => {
    let owner: SignedIn;
    beforeAll(async () => {
      owner = await givenSignedIn(stack(), 'polish@example.com');
    });
    const asOwner = (act: (visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
      visit(stack(), { ...signedIn(owner, stack().baseUrl), ...options }, act);
    const branded = (page: Page, brand: object) =>
      page.route('**/v1/service', async (route) => {
        const body = (await (await route.fetch()).json()) as object;
        await route.fulfill({ json: { ...body, ...brand } });
      });

    it('says that the days of its charts are those of UTC, and their years if there are several', async () => {
      const accountId = fromPublicId('acct', owner.accountId) ?? '';
      const call = callerWith(stack().baseUrl, owner.sessionToken);
      const { key_public_id: key = '' } = await call('POST', '/v1/api-keys', { name: 'of years' });
      const apiKeyId = fromPublicId('key', key) ?? '';
      for (const at of [new Date(Date.now() - 400 * 86_400_000), new Date()])
        await givenPastCharge(stack().db.pool, { accountId, apiKeyId, at, modelId: 'small' });
      await asOwner(async ({ page, open }) => {
        await open('/');
        await page.getByText(/in the last 30 days, UTC$/i).waitFor();
        const start = new Date(Date.now() - 420 * 86_400_000).toISOString().slice(0, 10);
        await open(`/usage?start=${start}`);
        const table = page.getByRole('table', { name: 'Spend by day, UTC' });
        const days = await table.getByRole('rowheader').allInnerTexts();
        expect(days.length).toBeGreaterThan(400);
        for (const day of days) expect(day).toMatch(/\b20\d\d\b/);
      });
    }, 120_000);

    it('names a range that cannot be once, and offers no file of it', async () => {
      await asOwner(
        async ({ page, open }) => {
          await open('/usage?start=2026-11-02&end=2026-10-01');
          await page.getByRole('alert').waitFor();
          expect(await page.getByRole('alert').count()).toBe(1);
          expect(await page.getByRole('button', { name: 'Download CSV' }).count()).toBe(0);
          await page.getByRole('textbox', { name: 'From, UTC' }).waitFor();
        },
        { refusals: /^400 GET \/v1\/usage/ },
      );
    }, 120_000);

    it('has the record in the title of its window, and says if there is none', async () => {
      const call = callerWith(stack().baseUrl, owner.sessionToken);
      const { key_public_id: key = '' } = await call('POST', '/v1/api-keys', { name: 'Titled' });
      await asOwner(
        async ({ page, open }) => {
          await open(`/keys/${key}`);
          await page.waitForFunction(() => document.title.startsWith('Titled · API keys · '));
          await page.getByRole('link', { name: 'API keys' }).last().click();
          await page.waitForFunction(() => document.title.startsWith('API keys · '));
          await open('/billing/invoices/INV-2020-000001');
          await page.getByText('Not found').waitFor();
          expect(await page.getByText('Download PDF').count()).toBe(0);
          await open('/keys/key_00000000000000000000000000');
          await page.getByText('There is no such API key', { exact: true }).waitFor();
          await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click();
          await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
        },
        { refusals: /^404 GET \/v1\/(billing|api-keys)\// },
      );
    }, 120_000);

    it('sorts keys by what they spent and by name', async () => {
      const sorter = await givenSignedIn(stack(), 'sorter@example.com');
      const accountId = fromPublicId('acct', sorter.accountId) ?? '';
      const call = callerWith(stack().baseUrl, sorter.sessionToken);
      const costs = { beta: 3_000_000_000n, alpha: 1_000_000_000n, gamma: 2_000_000_000n };
      for (const [name, costNano] of Object.entries(costs)) {
        const { key_public_id: key = '' } = await call('POST', '/v1/api-keys', { name });
        const apiKeyId = fromPublicId('key', key) ?? '';
        await givenPastCharge(stack().db.pool, {
          accountId,
          apiKeyId,
          at: new Date(),
          modelId: 'small',
          costNano,
        });
      }
      await visit(stack(), signedIn(sorter, stack().baseUrl), async ({ page, open }) => {
        await open('/keys');
        const namesBy = async (column: string): Promise<(string | undefined)[]> => {
          await page.getByRole('columnheader', { name: column }).getByRole('button').press('Enter');
          return (await cellsOf(page.getByRole('main'))).map(([name]) => name);
        };
        expect(await namesBy('Name')).toEqual(['alpha', 'beta', 'gamma']);
        expect(await namesBy('Spent this month')).toEqual(['alpha', 'gamma', 'beta']);
        expect(await namesBy('Spent this month')).toEqual(['beta', 'gamma', 'alpha']);
        // The third time they are as they came: newest first.
        expect(await namesBy('Spent this month')).toEqual(['gamma', 'alpha', 'beta']);
      });
    }, 120_000);

    it.each([320, 390])(
      'keeps the account in sight beside a long name on %i px',
      async (width) => {
        await asOwner(
          async ({ page, open }) => {
            await branded(page, { name: LONG_NAME, logo_url: null });
            await open('/');
            const button = page.getByRole('button', { name: 'Your account' });
            expect(await rightOf(button)).toBeLessThanOrEqual(width);
            expect((await page.locator('.frame-header').boundingBox())?.height).toBeLessThan(60);
            // Without a logo: the first letter, for eyes alone.
            expect(await page.locator('.brand-mark').first().innerText()).toBe('T');
          },
          { viewport: { width, height: 800 } },
        );
      },
      120_000,
    );

    it.each([320, 390])(
      'has the file of a statement in sight on %i px',
      async (width) => {
        await asOwner(
          async ({ page, open }) => {
            await open('/billing?tab=statements');
            const button = page.getByRole('button', { name: /^Statement of .* as CSV$/ }).first();
            expect(await rightOf(button)).toBeLessThanOrEqual(width);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
          },
          { viewport: { width, height: 800 } },
        );
      },
      120_000,
    );

    it('has a mail sent again', async () => {
      await visit(stack(), { refusals: /^401 GET / }, async ({ page, open }) => {
        await open('/sign-in');
        await page.getByRole('textbox', { name: 'E-mail' }).fill('polish@example.com');
        await page.getByRole('button', { name: 'Send me a link' }).click();
        await page.getByText(/spam folder/).waitFor();
        const again = page.waitForResponse('**/auth/links');
        await page.getByRole('button', { name: 'Send it again' }).click();
        expect((await again).status()).toBe(202);
      });
    }, 120_000);

    it('takes over a name that was changed in another tab', async () => {
      await asOwner(async ({ page, context, open }) => {
        await page.clock.install();
        await open('/settings');
        const other = await context.newPage();
        await other.goto('/settings');
        await untilSettled(other);
        await other.getByRole('textbox', { name: 'Name' }).fill('Named elsewhere');
        await other.getByRole('button', { name: 'Save' }).click();
        await other.getByText('Saved').waitFor();
        // It is looked at again, after a while.
        await page.clock.runFor(60_000);
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
        const field = page.getByRole('textbox', { name: 'Name' });
        // The field is another element by then, and the page's own clock is not a person's.
        while ((await field.inputValue()) !== 'Named elsewhere') await pause(100);
      });
    }, 120_000);

    it('says in its own words that it could not sign out without a network', async () => {
      await asOwner(
        async ({ page, context, open }) => {
          await open('/');
          await page.getByRole('button', { name: 'Your account' }).click();
          await context.setOffline(true);
          await page.getByRole('button', { name: 'Sign out', exact: true }).click();
          await page.getByText('You are still signed in').waitFor();
          await page.getByText('The service could not be reached.', { exact: true }).waitFor();
          expect(await page.getByText('Failed to fetch').count()).toBe(0);
          await context.setOffline(false);
        },
        { isAway: true },
      );
    }, 120_000);

    it('shows no output of a model for embeddings', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/models');
        const row = page.getByRole('row').filter({ hasText: 'an-embed' });
        await row.getByText('Embeddings', { exact: true }).waitFor();
        const cells = (await cellsOf(page.getByRole('main'))).find(([name]) => name?.includes('an-embed'));
        expect(cells?.filter((text) => text === '–')).toHaveLength(2);
      });
    }, 120_000);

    it('shows where sessions are from, renames a device, and is not turned by its name', async () => {
      const call = callerWith(stack().baseUrl, owner.sessionToken);
      await call('POST', '/v1/devices/register', { name: 'laptop', platform: 'linux-x64' });
      await stack().db.pool.query('UPDATE device SET name = $1', [TURNED]);
      await asOwner(async ({ page, open }) => {
        await open('/devices');
        const [session] = await cellsOf(page.getByRole('region', { name: 'Sessions' }));
        expect(session).toContain('127.0.0.0/24');
        await page.getByRole('button', { name: /^Revoke/ }).click();
        const dialog = page.getByRole('dialog');
        expect(await dialog.locator('bdi').innerText()).toBe(TURNED);
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: /^Rename/ }).click();
        await dialog.getByRole('textbox', { name: 'Name' }).fill('desk');
        await dialog.getByRole('button', { name: 'Rename' }).click();
        await page.getByRole('cell', { name: 'desk', exact: true }).waitFor();
      });
    }, 120_000);
  });
}

async function rightOf(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  return box ? box.x + box.width : Number.POSITIVE_INFINITY;
}
