import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@farebox/testing';
import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, signedIn, type SignedIn } from '../test/inhabited-service';
import { visit } from '../test/visit';

/** A customer's program gets events, and can verify that they are ours. */
export function expectWebhooks(stack: () => ConsoleStack): void {
  describe('a webhook', () => {
    let owner: SignedIn;
    let server: Server;
    let url: string;
    const received: { headers: IncomingHttpHeaders; body: string }[] = [];
    beforeAll(async () => {
      owner = await givenSignedIn(stack(), 'webhooks@example.com');
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
          response.end();
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    });
    afterAll(() => server.close());

    it('is made, tested, edited, given a new secret and deleted', async () => {
      await visit(stack(), signedIn(owner, stack().baseUrl), async ({ page, open }) => {
        await open('/webhooks');
        await page.getByText('No webhooks').waitFor();
        await page.getByRole('button', { name: 'Create webhook' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'URL' }).fill(url);
        await dialog.getByRole('textbox', { name: 'Description' }).fill('Shop');
        await dialog.getByRole('button', { name: 'Create webhook' }).click();
        const shown = dialog.getByRole('textbox', { name: 'Secret' });
        await shown.waitFor();
        await page.keyboard.press('Escape');
        const secret = await shown.inputValue();
        await dialog.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('link', { name: 'Shop' }).click();
        await page.getByRole('button', { name: 'Send a test' }).click();
        await page.getByRole('cell', { name: 'Delivered' }).waitFor();
        const [{ headers, body } = { headers: {}, body: '' }] = received;
        const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
        const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
        const signature = createHmac('sha256', key).update(signed).digest('base64');
        expect(headers['webhook-signature']).toBe(`v1,${signature}`);

        await page.getByRole('button', { name: 'Send again: webhook.test' }).click();
        await waitUntil(() => received.length === 2, 'the event was sent again');
        expect(received[1]).toMatchObject({ headers: { 'webhook-id': headers['webhook-id'] }, body });

        await page.getByRole('button', { name: 'Edit' }).click();
        await dialog.getByRole('textbox', { name: 'Description' }).fill('Store');
        await dialog.getByRole('switch', { name: 'Send events' }).click();
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { name: 'Store' }).waitFor();
        await page.getByText('Disabled', { exact: true }).waitFor();
        expect(await page.getByRole('button', { name: 'Send a test' }).isDisabled()).toBe(true);

        await page.getByRole('button', { name: 'Rotate the secret' }).click();
        await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
        await shown.waitFor();
        expect(await shown.inputValue()).not.toBe(secret);
        await dialog.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await page.getByText('No webhooks').waitFor();
      });
    }, 120_000);
  });
}
