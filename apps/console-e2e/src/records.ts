import { toPublicId } from '@farebox/auth';
import { fromDecimalUsd, toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Page } from 'playwright-core';
import { givenBookkeeper, KEYS, REQUESTS, RETIRED, type Bookkeeper } from '../test/bookkeeper';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, signedIn } from '../test/inhabited-service';
import { cellsOf, downloadedBy, groupBy, type Line } from '../test/tables';
import { visit, type Visit, type VisitOptions } from '../test/visit';

/** Exports, statements, filters and reasons of refusals: look-ups of a finance person and of a developer. */
export function expectRecords(stack: () => ConsoleStack): void {
  let customer: Bookkeeper;
  beforeAll(async () => {
    customer = await givenBookkeeper(stack());
  }, 300_000);

  const visiting = (act: (visit: Visit) => Promise<void>, options: VisitOptions = {}) =>
    visit(stack(), { ...signedIn(customer, stack().baseUrl), ...options }, act);

  it('an export of 2,000 requests equals the sums of its page, row by row', async () => {
    await visiting(async ({ page, open }) => {
      await open('/usage');
      const lines = await downloadedBy(
        page,
        page.getByRole('button', { name: 'Download CSV' }),
        /-usage-.*-to-/,
      );
      expect(lines).toHaveLength(REQUESTS);
      await page.getByText(REQUESTS.toLocaleString('en-US'), { exact: true }).first().waitFor();
      await page
        .getByText(dollars(costOf(lines)), { exact: true })
        .first()
        .waitFor();
      for (const [region, column] of [
        ['By model', 'model'],
        ['By API key', 'key_public_id'],
      ] as const) {
        const groups = groupBy(lines, column);
        const rows = await cellsOf(page.getByRole('region', { name: region }));
        expect(rows).toHaveLength(groups.size);
        const sums = [...groups.values()].map((of) => [
          of.length.toLocaleString('en-US'),
          of.reduce((sum, line) => sum + Number(line['prompt_tokens']), 0).toLocaleString('en-US'),
          String(costOf(of)),
        ]);
        const shown = rows.map(([, requests, prompt, , cost = '']) =>
          [requests, prompt, nanoOf(cost)].join(),
        );
        expect(new Set(shown)).toEqual(new Set(sums.map((sum) => sum.join())));
      }

      await open(`/usage?model=${RETIRED}`);
      const filtered = await downloadedBy(
        page,
        page.getByRole('button', { name: 'Download CSV' }),
        /-usage-/,
      );
      expect(new Set(filtered.map(({ model }) => model))).toEqual(new Set([RETIRED]));
      await page
        .getByText(dollars(costOf(filtered)), { exact: true })
        .first()
        .waitFor();
    });
  }, 180_000);

  it('filters show what they filter by, and find what is on no first page', async () => {
    await visiting(async ({ page, open }) => {
      const key = page.getByRole('combobox', { name: 'API key' });
      await open(`/usage?model=${RETIRED}&key_public_id=${toPublicId('key', customer.oldest)}`);
      expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe(RETIRED);
      expect(await key.inputValue()).toMatch(/^The oldest \(…....\)$/);
      await open('/usage');
      expect(await key.inputValue()).toBe('');
      await key.fill('the oldest');
      await page.getByRole('option', { name: /^The oldest/ }).click();
      await page.waitForURL(`**/usage?key_public_id=${toPublicId('key', customer.oldest)}`);
      await page.getByRole('combobox', { name: 'Model' }).click();
      await page.getByRole('option', { name: RETIRED }).waitFor();

      await open('/models');
      const cells = await cellsOf(page.getByRole('main'));
      const keysOf = new Map(cells.map((row) => [row[0], row.at(-1)]));
      expect(keysOf.get('small')).toBe('All');
      expect(keysOf.get('paced')).toBe(`${String(KEYS - 1)} of ${String(KEYS)}`);
    });
  }, 180_000);

  it('a chart by key keeps keys of the same name apart', async () => {
    await visiting(async ({ page, open }) => {
      await open('/usage?split=key');
      const table = page.getByRole('table', { name: 'Spend by day, UTC' });
      await table.getByRole('columnheader', { name: /^Twin/ }).nth(1).waitFor();
      const names = await table.getByRole('columnheader').allInnerTexts();
      const rows = await cellsOf(table);
      const costs = new Map(
        (await cellsOf(page.getByRole('region', { name: 'By API key' }))).map((row) => [row[0], row.at(-1)]),
      );
      expect(costs.size).toBe(2);
      for (const [name, cost] of costs) {
        const column = names.indexOf(name ?? '');
        const sum = rows.reduce((nano, row) => nano + nanoOf(row[column - 1] ?? ''), 0n);
        expect(sum).toBe(nanoOf(cost ?? ''));
      }
    });
  }, 180_000);

  it('a statement, its file and the transactions of its month agree', async () => {
    await visiting(async ({ page, open }) => {
      await open('/billing?tab=statements');
      const statements = page.getByRole('region', { name: 'Statements' });
      const rows = await cellsOf(statements);
      expect(rows).toHaveLength(3);
      const buttons = statements.getByRole('button', { name: /^Statement of / });
      for (const [
        i,
        [, opening = '', topUps = '', usage = '', refunds = '', others = '', closing = ''],
      ] of rows.entries()) {
        const amounts = [opening, topUps, usage, refunds, others].map(nanoOf);
        expect(amounts.reduce((sum, nano) => sum + nano, 0n)).toBe(nanoOf(closing));
        expect(nanoOf(opening)).toBe(nanoOf(rows[i + 1]?.[6] ?? '$0.00'));
        const lines = await downloadedBy(page, buttons.nth(i), /-statement-\d{4}-\d\d\.csv$/);
        const amountOf = (line: string) => lines.find((one) => one['line'] === line)?.['amount'] ?? '';
        expect([nanoOf(amountOf('opening_balance')), nanoOf(amountOf('closing_balance'))]).toEqual([
          nanoOf(opening),
          nanoOf(closing),
        ]);
        expect(nanoOf(amountOf('charge'))).toBe(nanoOf(usage));
      }

      const [start, end] = thisMonth();
      await open(`/billing?start=${start}&end=${end}&type=charge`);
      expect(await page.getByRole('textbox', { name: 'From, UTC' }).inputValue()).toBe(start);
      const charges = await downloadedBy(
        page,
        page.getByRole('button', { name: 'Transactions as CSV' }),
        /-transactions-.*-to-/,
      );
      const sum = charges.reduce((nano, { amount = '' }) => nano + nanoOf(amount), 0n);
      expect(sum).toBe(nanoOf(rows[0]?.[3] ?? ''));
    });
  }, 180_000);

  it('a refused request says why, and is found by its id', async () => {
    const call = callerWith(stack().baseUrl, customer.sessionToken);
    const { key = '' } = await call('POST', '/v1/api-keys', { name: 'For refusals' });
    const messages = [{ role: 'user', content: 'Hello' }];
    await call('POST', '/v1/chat/completions', { model: 'small', messages, temperature: 5 }, key);
    const reason = "'temperature' must be at most 2.";
    await visiting(async ({ page, open }) => {
      await untilNoted(page, open, reason);
      await page.getByRole('row').filter({ hasText: reason }).getByRole('link').first().click();
      await page.getByText(reason, { exact: true }).waitFor();
      const facts = page.getByRole('region', { name: 'Request' });
      for (const fact of ['temperature', 'invalid_request_error', '400'])
        await facts.getByText(fact, { exact: true }).waitFor();
      expect(await page.getByRole('region', { name: 'Receipt' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Copy the request id' }).click();
      const requestId = await page.evaluate(() => navigator.clipboard.readText());
      expect(requestId).toMatch(/^req_/);

      await open('/activity');
      await page.getByRole('textbox', { name: 'Request id' }).fill(` ${requestId} `);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/activity/${requestId}`);
      await page.getByText(reason, { exact: true }).waitFor();
    });
  }, 180_000);

  it('a download that fails says so on its page', async () => {
    const refusals = /^503 GET \/v1\/usage$/;
    await visiting(
      async ({ page, open }) => {
        await open('/usage');
        const error = {
          message: 'Come back later.',
          type: 'service_unavailable',
          param: null,
          code: 'service_unavailable',
        };
        await page.route('**/v1/usage?*format=csv*', (route) =>
          route.fulfill({ status: 503, json: { error }, headers: { 'x-should-retry': 'true' } }),
        );
        await page.getByRole('button', { name: 'Download CSV' }).click();
        await page.getByRole('alert').getByText('Come back later.').waitFor();
      },
      { refusals },
    );
  }, 60_000);

  it('a download of a person who has been signed out leads to the sign-in', async () => {
    const { sessionToken } = customer;
    await visiting(
      async ({ page, open }) => {
        await open('/usage');
        await callerWith(stack().baseUrl, sessionToken)('DELETE', '/auth/sessions');
        await page.getByRole('button', { name: 'Download CSV' }).click();
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      },
      { refusals: /^401 GET / },
    );
  }, 60_000);
}

/** Activity, once the request is on it: it is recorded after its response. */
async function untilNoted(page: Page, open: Visit['open'], reason: string): Promise<void> {
  do await open('/activity');
  while ((await page.getByRole('row').filter({ hasText: reason }).count()) === 0);
}

function thisMonth(): [start: string, end: string] {
  const now = new Date();
  const day = (time: number): string => new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return [day(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)), day(now.getTime())];
}

const costOf = (lines: readonly Line[]): bigint =>
  lines.reduce((sum, { cost = '' }) => sum + nanoOf(cost), 0n);

/** Reads an amount in the API's form, or in the console's with a dollar sign. */
function nanoOf(text: string): bigint {
  const nano = fromDecimalUsd(text.replaceAll(/[$,-]/g, ''));
  return text.startsWith('-') ? 0n - nano : nano;
}

/** The console's form of an exact amount in a table: every digit, and at least six places. */
const dollars = (nano: bigint): string =>
  `$${toDecimalUsd(nano as NanoUsd).replace(/^(\d+\.\d{6}\d*?)0*$/, '$1')}`;
