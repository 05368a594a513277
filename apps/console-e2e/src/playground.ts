import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { givenSignedIn, sessionCookieOf, signedIn } from '../test/inhabited-service';
import { untilSettled, visit, type Visit, type VisitOptions } from '../test/visit';

const TEST_BOUND_MS = 180_000;
/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Everything that a model may write to run something in the reader's browser, and what it may well write. */
const MARKDOWN = `# Fares

| from | to |
| --- | ---: |
| Bergen | **Oslo** |

\`\`\`js
const fare = 1 < 2;
\`\`\`

<script>window.pwned = 1</script>

<img src=x onerror="window.pwned = 2">

[run](javascript:window.pwned=3) [data](data:text/html,<script>window.pwned=4</script>)

Raw: <a href="javascript:window.pwned=5">raw</a> ![picture](https://pictures.example/a.png)
<iframe srcdoc="<script>parent.pwned=6</script>"></iframe> <svg onload="window.pwned=7">

[a safe one](https://docs.example/fares)`;

declare global {
  interface Window {
    /** Set by whatever must not run. */
    pwned?: number;
  }
}

/** The playground keeps what was paid for, and shows what a model wrote without running it. */
export function expectPlayground(stack: () => ConsoleStack): void {
  let customers = 0;
  const asCustomer = async (
    act: (visited: Visit) => Promise<void>,
    options: VisitOptions = {},
  ): Promise<void> => {
    const customer = await givenSignedIn(stack(), `player-${String(++customers)}@example.com`);
    await visit(stack(), { ...options, ...signedIn(customer, stack().baseUrl) }, async (visited) => {
      await visited.open('/playground');
      await act(visited);
    });
  };

  describe('the playground', () => {
    it(
      'keeps the text of an answer whose stream breaks, says what it cost, and continues it',
      () =>
        asCustomer(
          async ({ page }) => {
            await ask(page, 'breaking', 'Tell me about fares.');
            await page.getByText(/\$0\.\d+ was charged\.$/).waitFor();
            const answer = await page.locator('.markdown').innerText();
            expect(answer.length).toBeGreaterThan(5);
            expect(await messageBox(page).inputValue()).toBe('');
            await page.getByRole('log').getByText('breaking', { exact: true }).waitFor();

            await choose(page, 'small');
            await page.getByRole('button', { name: 'Continue' }).click();
            await page.getByRole('log').getByText('Continue exactly where you stopped.').waitFor();
            await answered(page, 1);
            expect(await page.locator('.markdown').first().innerText()).toBe(answer);
          },
          { isCut: true },
        ),
      TEST_BOUND_MS,
    );

    it(
      'keeps the conversation while other pages are looked at and the page is loaded again, until it is cleared',
      () =>
        asCustomer(async ({ page }) => {
          await ask(page, 'echo', 'Remember me');
          await answered(page, 1);
          await page.getByRole('link', { name: 'Receipt' }).click();
          await page.getByRole('heading', { level: 1, name: 'echo' }).waitFor();
          await page.goBack();
          await page.locator('.markdown').getByText('Remember me').waitFor();
          await page.reload();
          await page.locator('.markdown').getByText('Remember me').waitFor();

          await page.getByRole('button', { name: 'Clear' }).click();
          await page.getByText('Talk to a model').waitFor();
          await page.reload();
          await page.getByText('Talk to a model').waitFor();
        }),
      TEST_BOUND_MS,
    );

    it(
      'asks before an answer that is arriving is left, and keeps what had arrived',
      () =>
        asCustomer(async ({ page }) => {
          await page.getByLabel('Maximum output tokens').fill('4000');
          await ask(page, 'endless', 'Tell me a long story.');
          await page.locator('.markdown').waitFor();
          await menu(page, 'Billing').click();
          const question = page.getByRole('dialog', { name: 'Leave while the answer arrives?' });
          await question.getByRole('button', { name: 'Stay' }).click();
          await question.waitFor({ state: 'hidden' });
          expect(new URL(page.url()).pathname).toBe('/playground');
          await menu(page, 'Billing').click();
          await question.getByRole('button', { name: 'Leave' }).click();
          await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
          await menu(page, 'Playground').click();
          await page.getByText(/^Stopped\. \$0\.\d+ was charged\.$/).waitFor();
          await page.locator('.markdown').waitFor();
        }),
      TEST_BOUND_MS,
    );

    it(
      'says that an answer was cut at the maximum of tokens, and continues it',
      () =>
        asCustomer(async ({ page }) => {
          await page.getByLabel('Maximum output tokens').fill('5');
          await ask(page, 'small', 'Tell me about fares.');
          await page.getByText('This answer was cut off at the maximum of output tokens.').waitFor();
          await page.getByLabel('Maximum output tokens').fill('');
          await page.getByRole('button', { name: 'Continue' }).click();
          await answered(page, 2);
          await page.getByRole('button', { name: 'Send' }).waitFor();
        }),
      TEST_BOUND_MS,
    );

    it(
      'shows Markdown with code and tables to copy, and runs nothing of it',
      () =>
        asCustomer(async ({ page }) => {
          await ask(page, 'echo', MARKDOWN);
          await answered(page, 1);
          const answer = page.locator('.markdown');
          await answer.getByRole('columnheader', { name: 'from' }).waitFor();
          await answer.getByRole('cell', { name: 'Oslo' }).locator('strong').waitFor();
          await answer.getByRole('button', { name: 'Copy the code' }).click();
          expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const fare = 1 < 2;');
          await page.getByRole('button', { name: 'Copy the answer' }).click();
          expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(MARKDOWN);

          // HTML is text. Only these elements may come from a model.
          await answer.getByText('<script>window.pwned = 1</script>').waitFor();
          const names = await answer.evaluate((element) =>
            [...element.querySelectorAll('script, img, iframe, svg:not(button svg), style, form, input')].map(
              ({ outerHTML }) => outerHTML,
            ),
          );
          expect(names).toEqual([]);
          const links = await answer
            .getByRole('link')
            .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.getAttribute('rel')]));
          const rel = 'noopener noreferrer nofollow';
          expect(links).toEqual([
            ['https://pictures.example/a.png', rel],
            ['https://docs.example/fares', rel],
          ]);
          for (const name of ['run', 'data']) await answer.getByText(name, { exact: false }).first().click();
          expect(await page.evaluate(() => window.pwned)).toBeUndefined();
        }),
      TEST_BOUND_MS,
    );

    it(
      'folds the reasoning away',
      () =>
        asCustomer(async ({ page }) => {
          await ask(page, 'thinking', 'Why?');
          await answered(page, 1);
          const reasoning = page.getByRole('log').locator('details');
          expect(await reasoning.getAttribute('open')).toBeNull();
          await reasoning.getByText('Reasoning').click();
          expect((await reasoning.locator('.conversation-turn').innerText()).length).toBeGreaterThan(5);
        }),
      TEST_BOUND_MS,
    );

    it(
      'shows the end of an answer that arrives, unless its reader has scrolled up',
      () =>
        asCustomer(async ({ page }) => {
          const long = Array.from({ length: 80 }, (_, line) => `Line ${String(line)}.`).join('\n\n');
          await ask(page, 'echo', long);
          await answered(page, 1);
          await page.waitForFunction(isAtEnd);
          await scrollUp(page);
          // The new question is shown, and its answer.
          await page.getByLabel('Maximum output tokens').fill('4000');
          await ask(page, 'endless', 'And now?');
          await page.waitForFunction(isAtEnd);
          await scrollUp(page);
          const length = await page.getByRole('log').evaluate(({ scrollHeight }) => scrollHeight);
          await page.waitForFunction(
            (before) => (document.querySelector('[role=log]')?.scrollHeight ?? 0) > before,
            length,
          );
          expect(await page.evaluate(isAtEnd)).toBe(false);
          await page.getByRole('button', { name: 'Stop' }).click();
          await page.getByText(/^Stopped\. \$0\.\d+ was charged\.$/).waitFor();
        }),
      TEST_BOUND_MS,
    );

    it(
      'sends an image with a message to a model that takes images, and offers that for no other',
      () =>
        asCustomer(async ({ page }) => {
          await choose(page, 'small');
          expect(await page.getByRole('button', { name: 'Attach' }).count()).toBe(0);
          await choose(page, 'echo');
          const chooser = page.waitForEvent('filechooser');
          await page.getByRole('button', { name: 'Attach' }).click();
          await (
            await chooser
          ).setFiles({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') });
          await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
          await messageBox(page).fill('What is this?');
          await page.getByRole('button', { name: 'Send' }).click();
          await page.locator('.markdown').getByText('[image_url]').waitFor();
          await page.getByRole('log').getByText('dot.png').waitFor();
        }),
      TEST_BOUND_MS,
    );

    it(
      'shares one key between tabs and machines of an account, and none between accounts',
      async () => {
        const customer = await givenSignedIn(stack(), `player-${String(++customers)}@example.com`);
        const other = await givenSignedIn(stack(), `player-${String(++customers)}@example.com`);
        const answeredIn = async (page: Page): Promise<string | undefined> => {
          await page.goto('/playground');
          await untilSettled(page);
          await ask(page, 'echo', 'Whose key?');
          await answered(page, 1);
          return sharedKeyOf(page);
        };
        // A key that another machine has replaced is replaced again.
        const options = { ...signedIn(customer, stack().baseUrl), refusals: /^401 POST \/v1\/(chat|quotes)/ };
        await visit(stack(), options, async ({ page, context }) => {
          const key = await answeredIn(page);
          expect(await answeredIn(await context.newPage())).toBe(key);

          await visit(stack(), options, async (elsewhere) => {
            expect(await answeredIn(elsewhere.page)).not.toBe(key);
          });
          await ask(page, 'echo', 'Once more');
          await answered(page, 2);
          expect(await statusOf(stack().baseUrl, key)).toBe(401);

          await context.addCookies([sessionCookieOf(other, stack().baseUrl)]);
          const theirs = await context.newPage();
          const before = await sharedKeyOf(page);
          const foreign = await answeredIn(theirs);
          expect([undefined, before]).not.toContain(foreign);
          expect(await statusOf(stack().baseUrl, foreign)).toBe(200);
          // The tab of the first account has noticed, and is of the second.
          await page.getByRole('log', { name: 'Conversation' }).getByText('Talk to a model').waitFor();
        });
      },
      TEST_BOUND_MS,
    );

    it(
      'ends its key and its conversation in every tab when one of them signs out',
      () =>
        asCustomer(
          async ({ page, context }) => {
            await ask(page, 'echo', 'A secret of mine');
            await answered(page, 1);
            const key = await sharedKeyOf(page);
            expect(await statusOf(stack().baseUrl, key)).toBe(200);
            const other = await context.newPage();
            await other.goto('/');
            await untilSettled(other);
            await other.getByRole('button', { name: 'Your account' }).click();
            await other.getByRole('button', { name: 'Sign out', exact: true }).click();
            for (const one of [other, page])
              await one.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
            expect(await statusOf(stack().baseUrl, key)).toBe(401);
            const kept = () => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]);
            expect(await page.evaluate(kept)).not.toMatch(/A secret|ak-/);
          },
          // After the sign-out.
          { refusals: /^401 GET / },
        ),
      TEST_BOUND_MS,
    );
  });
}

function isAtEnd(): boolean {
  const log = document.querySelector('[role=log]');
  if (!log || log.scrollHeight <= log.clientHeight) return false;
  return log.scrollHeight - log.scrollTop - log.clientHeight < 2;
}

async function scrollUp(page: Page): Promise<void> {
  await page.getByRole('log').hover();
  await page.mouse.wheel(0, -1_000);
  await page.waitForFunction(() => {
    const log = document.querySelector('[role=log]');
    return log !== null && log.scrollHeight - log.scrollTop - log.clientHeight > 500;
  });
}

/** The secret of the playground's key that all tabs of the browser use. */
const sharedKeyOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () => (JSON.parse(localStorage.getItem('farebox.playground-key') ?? '{}') as { secret?: string }).secret,
  );

const messageBox = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

async function choose(page: Page, model: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: model, exact: true }).click();
}

async function ask(page: Page, model: string, text: string): Promise<void> {
  await choose(page, model);
  await messageBox(page).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Waits until this many answers have come to their end. */
async function answered(page: Page, count: number): Promise<void> {
  const costs = page.getByRole('log').getByText(/^\$[\d.]+ · \d+ prompt and \d+ completion tokens$/);
  await costs.nth(count - 1).waitFor();
}

/** The gateway's status for a key. */
async function statusOf(baseUrl: string, apiKey = ''): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  return response.status;
}
