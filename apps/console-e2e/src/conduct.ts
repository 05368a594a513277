import type { Page } from 'playwright-core';
import type { ConsoleStack } from '../test/console-stack';
import { visit } from '../test/visit';

/** A forbidden action of a page, its record, and the code that causes it. */
type Breach = [name: string, noted: RegExp, act: (page: Page, stack: ConsoleStack) => Promise<unknown>];

const BREACHES: Breach[] = [
  ['leads elsewhere', /asked a third party: http:/, (page, { payments }) => page.goto(payments.url)],
  ['breaks its policy', /thrown: .*The policy refused style-src-elem/, (page) => page.evaluate(addStyle)],
  ['throws', /thrown: .*oops/, (page) => page.evaluate(() => reportError(new Error('oops')))],
  ['is refused something', /404 GET \/v1\/nothing/, (page) => page.evaluate(() => fetch('/v1/nothing'))],
];

/** Checks that every visit detects breaches, because all other tests rely on that. */
export function expectConduct(stack: () => ConsoleStack): void {
  it.each(BREACHES)('a page that %s fails the visit', async (_, noted, act) => {
    const visited = visit(stack(), { refusals: /^401 GET / }, async ({ page, open }) => {
      await open('/sign-in');
      await act(page, stack());
    });
    await expect(visited).rejects.toThrow(noted);
  });
}

function addStyle(): Promise<void> {
  document.head.append(Object.assign(document.createElement('style'), { textContent: 'p { color: red }' }));
  // The browser reports it in a separate task.
  return new Promise((resolve) => setTimeout(resolve, 100));
}
