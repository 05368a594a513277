import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../../test/console-stack';
import { askAModel, statusOf } from '../../test/inhabited-operation';
import { callerWith } from '../../test/inhabited-service';
import { givenOperatorLink } from '../../test/operators';
import { goTo, heading } from '../../test/visit';
import { visitOperator } from './visit-operator';

const EMAIL = 'ada@example.com';
const OWNER = 'boss@operator.example.com';

/** The day of an owner, in the browser, from their link to the suspension of a customer. */
export function tellTheOperatorsDay(stack: () => ConsoleStack): void {
  it('an owner signs in, invites and funds a customer, refunds a request, changes a price, and suspends', async () => {
    const link = await givenOperatorLink(stack(), OWNER, 'owner');
    // A question is a refusal until it is answered.
    const refusals =
      /^400 POST \/operator\/v1\/(?:account\/fund|request\/refund|catalog\/apply)$|^401 GET \/operator/;
    await visitOperator(stack(), { refusals }, async ({ page }) => {
      await page.goto(link);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await heading(page, 'Today');
      const apiKey = await acceptAs(stack(), await invite(page));
      await fund(page);
      const request = await askAModel(stack(), apiKey);
      await findInTheList(page);
      await refund(page, request);
      await changeAPrice(page);
      await suspend(page, stack(), apiKey);
      await readTheLog(page);
      await signOut(page);
    });
  }, 300_000);
}

/** Returns the link that the customer gets. */
async function invite(page: Page): Promise<string> {
  await goTo(page, 'Customers');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a customer' });
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill(EMAIL);
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada');
  await dialog.getByRole('checkbox', { name: 'No mail' }).check();
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByText('Copy it now').waitFor();
  await dialog.getByRole('button', { name: 'Copy it' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: EMAIL }).click();
  await heading(page, 'Ada');
  return link;
}

/** The customer signs in and makes a key, as their own console does. */
async function acceptAs({ baseUrl }: ConsoleStack, link: string): Promise<string> {
  const token = link.split('/').at(-1);
  const { session_token } = await callerWith(baseUrl)('POST', '/auth/sessions', { token });
  const { key = '' } = await callerWith(baseUrl, session_token)('POST', '/v1/api-keys', { name: 'First' });
  expect(key).toMatch(/^ak-/);
  return key;
}

async function fund(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add credit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add credit' });
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('25.00');
  await dialog.getByRole('textbox', { name: 'Reference' }).fill('wire-17');
  await dialog.getByRole('button', { name: 'Add credit' }).click();
  await dialog.getByText(/^Credit 25\.000000000 dollars to Ada .*This cannot be undone\.$/).waitFor();
  await dialog.getByRole('button', { name: 'Yes, add credit' }).click();
  await page.getByText(/^Credited 25\.000000000 dollars/).waitFor();
  await page.getByText('$25.00', { exact: true }).first().waitFor();
}

/** The only request of the customer among those of all. */
async function findInTheList(page: Page): Promise<void> {
  await goTo(page, 'Requests');
  const filter = page.getByRole('search', { name: 'Filter the requests' });
  await filter.getByRole('textbox', { name: 'Account' }).fill(EMAIL);
  await filter.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/account=ada/);
  const found = page.getByRole('table', { name: 'Requests', exact: true });
  await found.getByRole('row').nth(2).waitFor({ state: 'detached' });
  await found.getByText('completed', { exact: true }).waitFor();
  await found.getByRole('link', { name: EMAIL }).waitFor();
  await found.locator('tbody').getByRole('link').first().click();
  await heading(page, 'small');
}

async function refund(page: Page, requestId: string): Promise<void> {
  await goTo(page, 'Requests');
  const field = page.getByRole('textbox', { name: 'Request id' });
  await field.fill(requestId);
  await field.press('Enter');
  await heading(page, 'small');
  await page.getByText('charged', { exact: true }).waitFor();
  const entries = page.getByRole('region', { name: 'In the ledger' }).getByRole('row');
  expect(await entries.count()).toBe(2);
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund the request' });
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong answer');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await dialog.getByText(/^Give back .* for 1 request\./).waitFor();
  await dialog.getByRole('button', { name: 'Yes, refund' }).click();
  await page.getByText('refunded', { exact: true }).waitFor();
  // The heading, the charge and the refund, after which everything is there again.
  await entries.nth(2).getByText('$25.00', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'What happened' }).getByRole('link', { name: EMAIL }).click();
  await heading(page, 'Ada');
  await page.getByText('$25.00 in all').waitFor();
}

async function changeAPrice(page: Page): Promise<void> {
  await goTo(page, 'Models and upstreams');
  await page.getByRole('tab', { name: 'Change' }).click();
  const file = page.getByRole('textbox', { name: 'Text of the file' });
  await file.waitFor();
  const text = await file.inputValue();
  const changed = text.replace(/(- id: small[\s\S]*?input_price:) 1/, '$1 4');
  expect(changed).not.toBe(text);
  await file.fill(changed);
  await page.getByRole('button', { name: 'Show what changes' }).click();
  const difference = page.getByRole('region', { name: 'What changes' });
  await difference.getByText('model small').waitFor();
  await difference.getByRole('row', { name: /input price/ }).waitFor();
  await difference
    .getByText(/small.*input/)
    .first()
    .waitFor();
  await difference.getByText('Look at this first').waitFor();
  await difference.getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog', { name: 'Apply the catalogue' });
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await dialog.getByText(/customers pay these prices from now on/).waitFor();
  await dialog.getByRole('button', { name: 'Yes, apply' }).click();
  await dialog.getByText(/Applied the file as version 2/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('tab', { name: 'Prices' }).click();
  await page
    .getByRole('region', { name: 'In force' })
    .getByRole('row', { name: /^small/ })
    .getByText('$4.00')
    .waitFor();
  await page.getByRole('region', { name: 'Former prices' }).getByText('$1.00').first().waitFor();
}

/** The next request after the button is refused. */
async function suspend(page: Page, stack: ConsoleStack, apiKey: string): Promise<void> {
  expect(await statusOf(stack, apiKey)).toBe(200);
  await goTo(page, 'Customers');
  await page.getByRole('textbox', { name: 'E-mail, name or id' }).fill('ada');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: EMAIL }).click();
  await heading(page, 'Ada');
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend the account' });
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('button', { name: 'Activate' }).waitFor();
  expect(await statusOf(stack, apiKey)).toBe(403);
}

async function readTheLog(page: Page): Promise<void> {
  await goTo(page, 'Log');
  await page.getByRole('textbox', { name: 'Operator' }).fill(OWNER);
  await page.getByRole('button', { name: 'Show' }).click();
  const actions = page.getByRole('table', { name: 'Actions' });
  // The former list, with what others did, stays until the new one is there.
  await actions.locator('tbody tr').filter({ hasNotText: OWNER }).first().waitFor({ state: 'detached' });
  const done = await actions.getByRole('row').allInnerTexts();
  for (const [action, detail] of [
    ['account suspend', 'suspended'],
    ['catalog apply', '1 -> 4'],
    ['request refund', 'wrong answer'],
    ['account fund', 'wire-17'],
    ['account invite', ''],
  ] as const)
    expect(done.filter((row) => row.includes(action) && row.includes(detail))).toHaveLength(1);
}

/** Whatever address is opened afterwards says how to sign in. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your session' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are not signed in.').waitFor();
  await page.goto('/operator/log');
  await page.getByText('You are not signed in.').waitFor();
}
