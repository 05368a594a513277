import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn } from '../test/inhabited-service';
import { visit } from '../test/visit';

/** Signing in where the mail is not read. */
export function expectSignIn(stack: () => ConsoleStack): void {
  it('somebody who reads the mail on the phone types its code on the desktop, and is where they were', async () => {
    const email = 'on-the-phone@example.com';
    await givenSignedIn(stack(), email);
    await visit(stack(), { refusals: /^401 (GET \/v1\/|POST \/auth\/codes$)/ }, async ({ page, open }) => {
      await open('/usage?bucket=hour');
      await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
      await page.getByRole('button', { name: 'Send me a link' }).click();
      const field = page.getByRole('textbox', { name: 'Code from the mail' });
      await field.fill('AAAA-AAAA');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page
        .getByRole('alert')
        .getByText(/The code is wrong/)
        .waitFor();

      const text = (await stack().mails.mailsTo(email)).at(-1)?.text;
      const [, code = ''] = /^([0-9A-Z]{4}-[0-9A-Z]{4})\r?$/m.exec(text ?? '') ?? [];
      await field.fill(code.toLowerCase().replace('-', ''));
      await field.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
      expect(new URL(page.url()).search).toBe('?bucket=hour');
    });
  }, 180_000);
}
