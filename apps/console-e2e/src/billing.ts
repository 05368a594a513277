import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { visit, type VisitOptions } from '../test/visit';

/** The tabs of billing, and the details of who is billed. */
export function expectBilling(stack: () => ConsoleStack): void {
  let customer: SignedIn;
  beforeAll(async () => {
    customer = await givenSignedIn(stack(), 'books@example.com');
  });
  const visiting = (check: Parameters<typeof visit>[2], options: VisitOptions = {}): Promise<void> =>
    visit(stack(), { ...signedIn(customer, stack().baseUrl), ...options }, check);

  it('billing is in tabs with addresses of their own, by the keyboard too', async () => {
    await visiting(async ({ page, open }) => {
      await open('/billing');
      const tab = (name: string) => page.getByRole('tab', { name });
      await tab('Balance').focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('region', { name: 'Statements' }).waitFor();
      expect(new URL(page.url()).search).toBe('?tab=statements');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Billing details' }).waitFor();
      await page.goBack();
      await page.getByRole('region', { name: 'Statements' }).waitFor();
      expect(await tab('Statements').getAttribute('aria-selected')).toBe('true');
      await open('/billing?tab=invoices');
      await page.getByRole('region', { name: 'Invoices' }).waitFor();
    });
  }, 120_000);

  it('the code of a voucher adds its amount to the balance, and a wrong one says why not', async () => {
    const made = await stack().admin(
      'voucher',
      'create',
      '--amount',
      '7.25',
      '--expires',
      '2099-01-31',
      '--yes',
    );
    const [voucher] = made['vouchers'] as { code: string }[];
    await visiting(
      async ({ page, open }) => {
        await open('/billing?add=true');
        const dialog = page.getByRole('dialog', { name: 'Add funds' });
        const code = dialog.getByRole('textbox', { name: 'Code of a voucher' });
        await code.fill('no such code');
        await dialog.getByRole('button', { name: 'Redeem' }).click();
        await dialog.getByRole('alert').getByText('No voucher can be redeemed with this code.').waitFor();
        await code.fill(voucher?.code.toLowerCase() ?? '');
        await dialog.getByRole('button', { name: 'Redeem' }).click();
        await page.getByText('Your voucher of $7.25 has been added to your balance.').waitFor();
        await page.getByRole('row').filter({ hasText: 'Top-up' }).getByText('$7.25').first().waitFor();
        await dialog.waitFor({ state: 'detached' });
      },
      { refusals: /^400 POST \/v1\/billing\/vouchers$/ },
    );
  }, 120_000);

  it('billing details are saved, and are there after a reload', async () => {
    await visiting(async ({ page, open }) => {
      await open('/billing?tab=details');
      const field = (name: string) => page.getByRole('textbox', { name });
      await field('Legal name').fill('Engines Ltd');
      await field('Address').fill('12 Engine Street\nLondon');
      await page.getByRole('combobox', { name: 'Country' }).fill('United Kin');
      await page.getByRole('option', { name: 'United Kingdom' }).click();
      await field('Purchase order').fill('PO-4711');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Your billing details are saved.').waitFor();
      await page.reload();
      await field('Legal name').waitFor();
      expect(await field('Address').inputValue()).toBe('12 Engine Street\nLondon');
      expect(await page.getByRole('combobox', { name: 'Country' }).inputValue()).toBe('United Kingdom');
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    });
  }, 120_000);
}
