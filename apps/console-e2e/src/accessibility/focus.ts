import type { Locator, Page } from 'playwright-core';

const MOST_TABS = 200;

/** Presses Tab until a control has the focus, unless it has it from the start. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if (await control.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${String(control)}.`);
}

const TABS_AT_A_TIME = 10;

declare global {
  interface Window {
    /** The elements that had the focus, and whether the focus was visible. */
    focused?: Map<Element, boolean>;
  }
}

/** The controls that Tab does not reach, or reaches without a visible sign. */
export async function unreachableOn(page: Page): Promise<string[]> {
  await page.evaluate(noteFocus);
  // A dialog that has just opened may take the focus back at any time, so one known control does not end a
  // round: ten known ones do.
  let known = -1;
  for (let tabs = 0; tabs < MOST_TABS; tabs += TABS_AT_A_TIME) {
    const met = await page.evaluate(() => window.focused?.size ?? 0);
    if (met === known) break;
    known = met;
    for (let i = 0; i < TABS_AT_A_TIME; i++) await page.keyboard.press('Tab');
  }
  return page.evaluate(listUnreached);
}

/** Runs in the page: records each element that gets the focus. */
function noteFocus(): void {
  const focused = new Map<Element, boolean>();
  Object.assign(window, { focused });
  const isMarked = (element: Element): boolean => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const { activeElement } = document;
  // A dialog starts at one of its controls, a page at its top.
  if (activeElement?.closest('[role=dialog]')) focused.set(activeElement, true);
  else if (activeElement instanceof HTMLElement) activeElement.blur();
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || focused.has(target)) return;
    // The border of a field shows the focus; for a hidden radio button, the label beside it does.
    focused.set(target, target.matches('input, textarea, select') || isMarked(target));
  });
}

/** Runs in the page: visible, enabled controls that did not get the focus or did not show it. */
function listUnreached(): string[] {
  const scope = document.querySelector('[role=dialog]') ?? document;
  const controls = scope.querySelectorAll<HTMLElement>(
    'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [tabindex="0"]',
  );
  const reached = window.focused ?? new Map<Element, boolean>();
  /** Among radio buttons, tabs and the like, one takes the focus, and arrow keys reach the others. */
  const groupOf = (element: Element): Element | null =>
    element.closest('[role=radiogroup], [role=tablist], fieldset, [role=group]');
  const isUsed = (element: HTMLElement): boolean =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) &&
    !element.matches(':disabled, [type=hidden], [aria-hidden=true], [aria-hidden=true] *, [inert] *');
  const isReached = (element: HTMLElement): boolean => {
    if (reached.has(element)) return true;
    const isOneOfMany = element.matches('[type=radio], [role=tab]');
    const group = isOneOfMany && groupOf(element);
    return Boolean(group && [...reached.keys()].some((other) => group.contains(other)));
  };
  const name = (why: string, element: Element): string => `${why}: ${element.outerHTML.slice(0, 200)}`;
  return [
    ...[...controls].filter((one) => isUsed(one) && !isReached(one)).map((one) => name('not reached', one)),
    ...[...reached].filter(([, isSeen]) => !isSeen).map(([one]) => name('no sign of the focus', one)),
  ];
}
