import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { untilSettled, visit, type Visit, type VisitOptions } from '../test/visit';

/** Longer than the console waits before it reads again. */
const WHILE_LOOKED_AT_MS = 35_000;

/** The console while something is slow, away, or out of date. */
export function expectWaiting(stack: () => ConsoleStack): void {
  describe('while the service is slow or away, the console', () => {
    let owner: SignedIn;
    beforeAll(async () => {
      owner = await givenSignedIn(stack(), 'waiting@example.com');
    });

    const asOwner = (act: (visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
      visit(stack(), { ...signedIn(owner, stack().baseUrl), ...options }, act);
    const goTo = (page: Page, name: string) =>
      page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

    it('reads the balance and the activity again while it is looked at', async () => {
      await asOwner(async ({ page, open }) => {
        await page.clock.install();
        await open('/activity');
        await page.getByText('No requests here').waitFor();
        await page.getByRole('link', { name: '$50.00 available' }).waitFor();
        const call = callerWith(stack().baseUrl, owner.sessionToken);
        const { key = '' } = await call('POST', '/v1/api-keys', { name: 'Elsewhere' });
        const messages = [{ role: 'user', content: 'Hello' }];
        await call('POST', '/v1/chat/completions', { model: 'small', messages }, key);
        await page.clock.runFor(WHILE_LOOKED_AT_MS);
        await page.getByRole('row').filter({ hasText: 'Elsewhere' }).waitFor();
        await page.getByRole('link', { name: '$49.99 available' }).waitFor();
      });
    }, 120_000);

    it('says how old its figures are, until they can be read again', async () => {
      await asOwner(
        async ({ page, open }) => {
          await page.clock.install();
          await open('/billing');
          await page.route('**/v1/**', (route) => route.abort());
          await page.clock.runFor(WHILE_LOOKED_AT_MS);
          const notice = page.getByText('These figures are not up to date');
          await notice.waitFor();
          await page.getByText(/The figures are from .*\d\d:\d\d:\d\d/).waitFor();
          await page.unroute('**/v1/**');
          await page.getByRole('button', { name: 'Try again' }).first().click();
          await notice.waitFor({ state: 'hidden' });
        },
        { isAway: true },
      );
    }, 120_000);

    it('shows a bar from the click on until the next page is there', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/');
        let send: () => void = () => undefined;
        const sent = new Promise<void>((resolve) => (send = resolve));
        await page.route(/\/usage-[^/]+\.js$/, async (route) => {
          await sent;
          await route.continue();
        });
        await goTo(page, 'Usage');
        await page.getByRole('progressbar', { name: 'The page is loading' }).waitFor();
        send();
        await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
        await page.getByRole('progressbar', { name: 'The page is loading' }).waitFor({ state: 'hidden' });
      });
    }, 120_000);

    it('keeps its frame around a page that cannot be loaded, and loads it when it can', async () => {
      await asOwner(
        async ({ page, context, open }) => {
          await open('/');
          await context.setOffline(true);
          await goTo(page, 'Models');
          await page.getByText('The service could not be reached').first().waitFor();
          await page.getByRole('navigation', { name: 'Pages' }).waitFor();
          await context.setOffline(false);
          await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
        },
        { isAway: true },
      );
    }, 120_000);

    it('reloads itself once if a file is missing after an update, and then says so', async () => {
      await asOwner(
        async ({ page, open }) => {
          await open('/');
          let asked = 0;
          await page.route(/\/models-[^/]+\.js$/, (route) => {
            asked += 1;
            return route.fulfill({ status: 404, body: '' });
          });
          await page.getByRole('navigation', { name: 'Pages' }).waitFor();
          await page.evaluate(() => Object.assign(window, { isFirst: true }));
          await goTo(page, 'Models');
          await page.waitForFunction(() => !('isFirst' in window));
          await page.getByText('The service could not be reached').first().waitFor();
          await page.getByRole('navigation', { name: 'Pages' }).waitFor();
          const before = asked;
          await untilSettled(page).catch(() => undefined);
          expect(asked).toBe(before);
        },
        { refusals: /^404 GET \/console\/assets\/models-/, isAway: true },
      );
    }, 120_000);

    it('shows an empty frame before its scripts have run', async () => {
      await asOwner(async ({ page }) => {
        let send: () => void = () => undefined;
        const sent = new Promise<void>((resolve) => (send = resolve));
        await page.route(/\/index-[^/]+\.js$/, async (route) => {
          await sent;
          await route.continue();
        });
        const opened = page.goto('/');
        await page.getByRole('status', { name: 'Loading' }).waitFor();
        send();
        await opened;
        await untilSettled(page);
      });
    }, 120_000);
  });
}
