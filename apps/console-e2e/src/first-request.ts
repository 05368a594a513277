import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, signedIn } from '../test/inhabited-service';
import { untilSettled, visit } from '../test/visit';

const TEST_BOUND_MS = 180_000;

/** A new customer finds out what to do, with money and without. */
export function expectFirstRequest(stack: () => ConsoleStack): void {
  it(
    'a customer without money reads that nothing can run, and finds the way to pay from there',
    async () => {
      const customer = await givenSignedIn(stack(), 'broke@example.com', []);
      const options = {
        refusals: /^402 POST \/v1\/chat\/completions$/,
        ...signedIn(customer, stack().baseUrl),
      };
      await visit(stack(), options, async ({ page, open }) => {
        await open('/');
        const steps = page.getByRole('region', { name: 'Make your first request' });
        await steps.getByRole('link', { name: 'Add funds' }).waitFor();
        // The steps say it already.
        expect(await page.getByText('Your balance is empty').count()).toBe(0);

        await open('/playground');
        await page.getByText('Your balance is empty').waitFor();
        await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello');
        await page.getByRole('button', { name: 'Send' }).click();
        const refusal = page.getByRole('alert');
        await refusal.getByText('Your balance does not cover it').waitFor();
        await refusal.getByRole('link', { name: 'Add funds' }).click();
        await page
          .getByRole('dialog', { name: 'Add funds' })
          .getByRole('textbox', { name: 'Amount', exact: true })
          .waitFor();
        expect(await page.getByText('Your balance is empty').count()).toBe(0);
      });
    },
    TEST_BOUND_MS,
  );

  it(
    'a customer of a service without card payments reads whom to pay, and which reference to name',
    async () => {
      const customer = await givenSignedIn(stack(), 'by-transfer@example.com', []);
      await visit(stack(), signedIn(customer, stack().baseUrl), async ({ page, open }) => {
        const operators = { object: 'list', data: [], methods: [] };
        await page.route('**/v1/billing/funding', (route) => route.fulfill({ json: operators }));
        await open('/billing?add=true');
        const dialog = page.getByRole('dialog', { name: 'Add funds' });
        await dialog.getByText(customer.accountId, { exact: true }).waitFor();
        await dialog.getByText('Ask whoever invited you how to pay').waitFor();
      });
    },
    TEST_BOUND_MS,
  );

  it(
    'Home lists the steps until the first request has succeeded, whose sample is for the cheapest chat model',
    async () => {
      const customer = await givenSignedIn(stack(), 'first@example.com');
      await visit(stack(), signedIn(customer, stack().baseUrl), async ({ page, open }) => {
        await open('/');
        const steps = page.getByRole('region', { name: 'Make your first request' });
        await steps.getByText('$50.00 is available.').waitFor();
        await steps.getByRole('button', { name: 'Create my first API key' }).click();
        await steps.getByText('Create an API key, done').waitFor();
        await run(stack().baseUrl, await sampleIn(page));

        await page.reload();
        await untilSettled(page);
        await page.getByRole('region', { name: 'Make a request' }).waitFor();
        expect(await steps.count()).toBe(0);
      });
    },
    TEST_BOUND_MS,
  );
}

const sampleIn = (page: Page): Promise<string> =>
  page.getByRole('group', { name: 'curl sample' }).innerText();

/** Sends what the sample would send. */
async function run(baseUrl: string, sample: string): Promise<void> {
  const [, authorization = ''] = /"Authorization: (.*)"/.exec(sample) ?? [];
  const [, body = ''] = /-d '([^']*)'/.exec(sample) ?? [];
  expect((JSON.parse(body) as { model: string }).model).toBe('small');
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('choices')]);
}
