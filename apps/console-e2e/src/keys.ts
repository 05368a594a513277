import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { callerWith, givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { untilSettled, visit, type Visit, type VisitOptions } from '../test/visit';

/** A key is changed without a new secret, and a secret is not lost by accident. */
export function expectKeys(stack: () => ConsoleStack): void {
  describe('an API key', () => {
    let owner: SignedIn;
    beforeAll(async () => {
      owner = await givenSignedIn(stack(), 'keys@example.com');
    });

    const call = (method: string, path: string, body?: object) =>
      callerWith(stack().baseUrl, owner.sessionToken)(method, path, body);
    const asOwner = (act: (visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
      visit(stack(), { ...signedIn(owner, stack().baseUrl), ...options }, act);

    it('is edited in one dialog, which says at a field why it cannot be saved', async () => {
      const { key_public_id: id = '' } = await call('POST', '/v1/api-keys', { name: 'Draft' });
      await asOwner(async ({ page, open }) => {
        await open(`/keys/${id}`);
        const edit = page.getByRole('button', { name: 'Edit' });
        await edit.click();
        const dialog = page.getByRole('dialog', { name: 'Edit the API key' });
        const field = (name: string) => dialog.getByLabel(name, { exact: true });
        await dialog.getByRole('textbox', { name: 'Name' }).fill('Shop');
        await field('Monthly spending limit').fill('0');
        await field('Expires').fill('2020-01-01');
        await field('Allowed origins').fill('app.example.com');
        await dialog.getByText('Only these').click();
        await dialog.getByRole('button', { name: 'Save' }).click();
        for (const fault of ['above zero', 'today or a later', 'is not an origin', 'at least one model'])
          await dialog.getByText(fault).waitFor();
        expect(await field('Expires').getAttribute('aria-invalid')).toBe('true');
        expect(await focusedLabel(page)).toBe('Monthly spending limit');
        expect(await call('GET', `/v1/api-keys/${id}`)).toMatchObject({ name: 'Draft', model_policy: null });

        await field('Monthly spending limit').fill('2.50');
        await field('Expires').fill('2999-12-31');
        await field('Allowed origins').fill('https://app.example.com');
        await dialog.getByRole('combobox', { name: 'Chosen models' }).click();
        await page.getByRole('option', { name: 'small' }).click();
        // Closes the list, which covers the button.
        await page.keyboard.press('Tab');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.waitFor({ state: 'hidden' });
        await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
        await page.getByText('Only small').waitFor();
        await isFocused(page, 'Edit');
      });
      expect(await call('GET', `/v1/api-keys/${id}`)).toMatchObject({
        ...{ name: 'Shop', monthly_spend_limit: '2.500000000', expires_at: 32_503_679_999 },
        allowed_origins: ['https://app.example.com'],
        model_policy: { mode: 'allow', models: ['small'] },
      });
    }, 120_000);

    it('shows its secret until the person is done with it, even if they press Escape or go back', async () => {
      await asOwner(async ({ page, open }) => {
        await open('/');
        await page.getByRole('navigation').getByRole('link', { name: 'API keys', exact: true }).click();
        await page.route('**/v1/api-keys', async (route) => {
          // A slow service: the person presses Escape before the response.
          if (route.request().method() === 'POST') {
            await page.keyboard.press('Escape');
            await new Promise((resolve) => setTimeout(resolve, 300));
          }
          await route.continue();
        });
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Not lost');
        await page.evaluate(() => {
          document.querySelector<HTMLFormElement>('[role=dialog] form')?.requestSubmit();
          // In the same task: nothing is drawn between them.
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }),
          );
        });
        const dialog = page.getByRole('dialog', { name: 'Your API key' });
        const secret = dialog.getByRole('textbox', { name: 'API key' });
        await secret.waitFor();
        expect(await focusedLabel(page)).toBe('API key');
        await page.keyboard.press('Escape');
        await page.mouse.click(2, 2);
        await page.evaluate(() => history.back());
        await untilSettled(page);
        expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0);
        expect(await secret.inputValue()).toMatch(/^ak-\w{38}$/);
        await dialog.getByRole('button', { name: 'Done' }).click();
        await dialog.waitFor({ state: 'hidden' });
        await isFocused(page, 'Create key');
      });
    }, 120_000);

    it('says that the browser refused to copy its secret, which can be selected', async () => {
      await asOwner(async ({ page, open }) => {
        await page.addInitScript(() => {
          navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
        });
        await open('/keys');
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('By hand');
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Your API key' });
        await dialog.getByRole('button', { name: 'Copy the API key' }).click();
        await dialog.getByText('The browser refused to copy it').waitFor();
        const secret = dialog.getByRole('textbox', { name: 'API key' });
        await secret.focus();
        expect(await page.evaluate(() => String(getSelection()))).toBe(await secret.inputValue());
        await dialog.getByRole('button', { name: 'Done' }).click();
      });
    }, 120_000);

    it('is disabled and enabled again', async () => {
      const created = await call('POST', '/v1/api-keys', { name: 'Paused' });
      const { key_public_id: id = '', key = '' } = created;
      const statusOf = async () =>
        (await fetch(`${stack().baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;
      await asOwner(async ({ page, open }) => {
        await open(`/keys/${id}`);
        const press = async (name: string) => {
          await page.getByRole('button', { name }).click();
          const dialog = page.getByRole('dialog', { name: `${name} Paused?` });
          await dialog.getByRole('button', { name }).click();
          await dialog.waitFor({ state: 'hidden' });
        };
        await press('Disable');
        await page.getByText('Disabled', { exact: true }).waitFor();
        expect(await statusOf()).toBe(401);
        await press('Enable');
        await page.getByText('Active', { exact: true }).waitFor();
        expect(await statusOf()).toBe(200);
      });
    }, 120_000);

    it('that was revoked elsewhere shows the whole refusal and loses its buttons', async () => {
      const { key_public_id: id = '' } = await call('POST', '/v1/api-keys', { name: 'Gone' });
      await asOwner(
        async ({ page, open }) => {
          await open(`/keys/${id}`);
          await call('DELETE', `/v1/api-keys/${id}`);
          await page.getByRole('button', { name: 'Rotate' }).click();
          const dialog = page.getByRole('dialog', { name: 'Rotate Gone?' });
          await dialog.getByRole('button', { name: 'Rotate' }).click();
          await dialog.getByRole('alert').getByText('cannot be rotated').waitFor();
          await dialog.getByRole('button', { name: 'Cancel' }).click();
          await page.getByText('Revoked', { exact: true }).first().waitFor();
          expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
        },
        { refusals: /^409 POST \/v1\/api-keys\/.*\/rotate$/ },
      );
    }, 120_000);
  });
}

/** The first label of the field with the focus. */
function focusedLabel(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const field = document.activeElement as HTMLInputElement | null;
    return field?.labels?.[0]?.firstChild?.textContent ?? undefined;
  });
}

/** Waits until a button has the focus again. */
async function isFocused(page: Page, name: string): Promise<void> {
  await page.waitForFunction((text) => document.activeElement?.textContent === text, name);
}
