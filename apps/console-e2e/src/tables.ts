import { fromPublicId } from '@farebox/auth';
import { givenApiKey } from '@farebox/testing';
import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { untilSettled, visit, type Visit, type VisitOptions } from '../test/visit';

const KEYS = 300;
const MODELS = 212;
const LONG = 'W'.repeat(100);

/** Lists of many records, records with long names, and narrow screens. */
export function expectTables(stack: () => ConsoleStack): void {
  describe('a table', () => {
    let owner: SignedIn;
    beforeAll(async () => {
      const { db, baseUrl } = stack();
      owner = await givenSignedIn(stack(), 'tables@example.com');
      const accountId = fromPublicId('acct', owner.accountId) ?? '';
      for (let i = 0; i < KEYS; i++) await givenApiKey(db.pool, accountId);
      await db.pool.query(
        `UPDATE api_key SET name = 'Key ' || id, monthly_spend_limit_nano = 5000000000 WHERE account_id = $1`,
        [accountId],
      );
      const call = callerWith(baseUrl, owner.sessionToken);
      await call('POST', '/v1/api-keys', { name: 'needle 100%' });
      await call('POST', '/v1/api-keys', { name: LONG });
    }, 120_000);

    const asOwner = (act: (visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
      visit(stack(), { ...signedIn(owner, stack().baseUrl), ...options }, act);

    it('of 300 keys is searched at the service, and the keyboard goes on from the first new row', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/keys');
        await page.getByText('The newest 100').waitFor();
        for (const count of ['The newest 200', 'The newest 300', 'All 302']) {
          await page.getByRole('button', { name: 'Show more' }).focus();
          await page.keyboard.press('Enter');
          await page.getByText(count).waitFor();
          await page.waitForFunction(() => document.activeElement?.closest('tbody') !== null);
        }
        expect(await indexOfFocusedRow(page)).toBe(300);
        await page.getByRole('searchbox', { name: 'Search the API keys' }).fill('NEEDLE 100%');
        await page.getByText('All 302').waitFor({ state: 'hidden' });
        expect(await page.getByRole('row').count()).toBe(2);
        await page.getByRole('searchbox').fill('no such key');
        await page.getByText('No active key matches').waitFor();
      });
    }, 120_000);

    it('keeps its header in sight, and cuts a long name, which is whole in a tooltip', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/keys');
        await page.getByText('The newest 100').waitFor();
        const name = page.getByRole('cell', { name: LONG });
        const table = page.getByRole('group', { name: 'API keys' });
        const wide = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
        expect(wide).toBe(0);
        await name.hover();
        expect(await name.getAttribute('title')).toBe(LONG);
        await page.getByRole('row').last().scrollIntoViewIfNeeded();
        const [frame, header] = [
          await table.boundingBox(),
          await page.getByRole('columnheader', { name: 'Status' }).boundingBox(),
        ];
        expect(header?.y).toBeCloseTo(frame?.y ?? Number.NaN, 0);
      });
    }, 120_000);

    it.each([320, 390])(
      'is a list of cards with the amount in sight on a screen of %i px',
      async (width) => {
        await asOwner(
          async ({ page, open }) => {
            await open('/keys');
            const spent = page.getByRole('row').nth(1).getByText('$0.00 of $5.00');
            await page.getByRole('searchbox').fill('Key ');
            await untilSettled(page);
            const box = await spent.boundingBox();
            expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThan(width);
            await page.getByRole('searchbox').fill(LONG);
            await page.getByRole('cell', { name: LONG }).waitFor();
            for (const path of [
              '/keys',
              '/models',
              '/limits',
              '/devices',
              '/security',
              '/webhooks',
              '/settings',
              '/billing',
            ]) {
              await open(path);
              expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
                path,
                width,
              ]);
              expect([path, await hiddenCells(page)]).toEqual([path, []]);
            }
          },
          { viewport: { width, height: 800 } },
        );
      },
      180_000,
    );

    it('of 212 models is searched and sorted by price', async () => {
      await asOwner(async ({ page, open }) => {
        await page.route('**/v1/account/models', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { id: string; pricing: Record<string, string> }[] };
          const [model] = body.data;
          if (!model) throw new Error('no model is offered');
          const data = Array.from({ length: MODELS }, (_, i) => ({
            ...model,
            id: `maker/model-${String(i)}`,
            pricing: { ...model.pricing, input: `${String((i * 7) % MODELS)}.000000000` },
          }));
          await route.fulfill({ response, json: { ...body, data } });
        });
        await open('/models');
        await page.getByText(`${String(MODELS)} models`).waitFor();
        const sort = page.getByRole('columnheader', { name: 'Input / 1M' });
        await sort.getByRole('button').press('Enter');
        expect(await sort.getAttribute('aria-sort')).toBe('ascending');
        expect(await page.getByRole('row').nth(1).innerText()).toContain('model-0');
        await sort.getByRole('button').press('Enter');
        expect(await page.getByRole('row').nth(1).innerText()).toContain('$211.00');
        await page.getByRole('searchbox', { name: 'Search the models' }).fill('MODEL-21');
        await page.getByText(`3 of ${String(MODELS)} models`).waitFor();
      });
    }, 120_000);

    it('is reached on a phone by a menu that is closed for the Tab key, too', async () => {
      await asOwner(
        async ({ page, open }) => {
          await open('/');
          const burger = page.getByRole('button', { name: 'Open the menu' });
          await burger.focus();
          await page.keyboard.press('Tab');
          expect(await page.evaluate(() => document.activeElement?.closest('nav') ?? null)).toBeNull();
          await burger.press('Enter');
          await page.waitForFunction(() => document.activeElement?.textContent === 'Home');
          await page.keyboard.press('Escape');
          expect(await burger.evaluate((element) => element === document.activeElement)).toBe(true);
          await burger.press('Enter');
          await page.waitForFunction(() => document.activeElement?.textContent === 'Home');
          await page.keyboard.press('Tab');
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
          expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
            'API keys',
          );
        },
        { viewport: { width: 390, height: 800 } },
      );
    }, 120_000);
  });
}

function indexOfFocusedRow(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...document.querySelectorAll('tbody > tr')].findIndex((row) => row.contains(document.activeElement)),
  );
}

/** The texts of cells that are not wholly on the screen. */
function hiddenCells(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.records td')]
      .filter(
        (cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > innerWidth,
      )
      .map(({ innerText }) => innerText),
  );
}
