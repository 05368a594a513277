import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { visit } from '../test/visit';

/** What a page does, what is noted of it, and how it comes to do it. */
type Breach = [name: string, noted: RegExp, act: (page: Page, stack: ConsoleStack) => Promise<unknown>];

const BREACHES: Breach[] = [
  ['leads elsewhere', /asked a third party: http:/, (page, { payments }) => page.goto(payments.url)],
  ['breaks its policy', /thrown: .*The policy refused style-src-elem/, (page) => page.evaluate(addStyle)],
  ['throws', /thrown: .*oops/, (page) => page.evaluate(() => reportError(new Error('oops')))],
  ['is refused something', /404 GET \/v1\/nothing/, (page) => page.evaluate(() => fetch('/v1/nothing'))],
];

/** What every visit is held to, that it is noticed: all the other tests lean on it. */
export function expectConduct(stack: () => ConsoleStack): void {
  it.each(BREACHES)('a page that %s does not pass', async (_, noted, act) => {
    const visited = visit(stack(), { refusals: /^401 GET / }, async ({ page, open }) => {
      await open('/sign-in');
      await act(page, stack());
    });
    await expect(visited).rejects.toThrow(noted);
  });
}

function addStyle(): Promise<void> {
  document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { color: red }' }));
  // The browser tells of it in a task of its own.
  return new Promise((resolve) => setTimeout(resolve, 100));
}
