import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import type { BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core';
import type { ConsoleStack } from './console-stack';

/** Limit of a single wait, on a busy machine. */
const LONGEST_WAIT_MS = 45_000;
const SHOWN_EVENTS = 40;

export interface VisitOptions extends BrowserContextOptions {
  /** Expected error responses, as `401 GET /v1/account`. Any other one is a fault. */
  refusals?: RegExp;
  /** Whether a stream is cut, which the browser may report by itself. */
  isCut?: boolean;
  /** Whether the service or one of its files cannot be reached, which the browser reports by itself. */
  isAway?: boolean;
  /** Further origins that the page may lead to, such as that of a payment. */
  elsewhere?: readonly string[];
}

/** A person with their own browser, and forbidden actions of the pages. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Opens a path of the console, and waits until everything on it is loaded. */
  open: (path: string) => Promise<void>;
}

/**
 * Opens a browser for `act`, and always closes it. Fails if a page contacted a third party, broke its content
 * security policy, logged an error to the console, or got an error response. A failure shows the last state
 * of the page.
 */
export async function visit(
  { browser, baseUrl }: Pick<ConsoleStack, 'browser' | 'baseUrl'>,
  { refusals = /^$/, elsewhere = [], isCut = false, isAway = false, ...options }: VisitOptions,
  act: (visit: Visit) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const seen: string[] = [];
  const problems: string[] = [];
  try {
    context.setDefaultTimeout(LONGEST_WAIT_MS);
    context.setDefaultNavigationTimeout(LONGEST_WAIT_MS);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
    await context.addInitScript(reportViolations);
    watch(context, { baseUrl, refusals, elsewhere, isCut, isAway }, (event, isProblem) => {
      seen.push(event);
      if (isProblem) problems.push(event);
    });
    const page = await context.newPage();
    const open = async (path: string): Promise<void> => {
      await page.goto(path);
      await untilSettled(page);
    };
    try {
      await act({ page, context, open });
    } catch (error) {
      throw new Error(await describe(error, page, seen), { cause: error });
    }
  } finally {
    await context.close();
  }
  expect([...new Set(problems)]).toEqual([]);
}

/** Runs in the page: throws an error for every violation of the policy, even if the browser reports none. */
function reportViolations(): void {
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) => {
    reportError(new Error(`The policy refused ${effectiveDirective}: ${blockedURI} in ${sourceFile}`));
  });
}

type Note = (event: string, isProblem: boolean) => void;

function watch(
  context: BrowserContext,
  {
    baseUrl,
    refusals,
    elsewhere,
    isCut,
    isAway,
  }: {
    baseUrl: string;
    refusals: RegExp;
    elsewhere: readonly string[];
    isCut: boolean;
    isAway: boolean;
  },
  note: Note,
): void {
  const origins = new Set([baseUrl, ...elsewhere]);
  const nameOf = (response: Response): string => {
    const { pathname } = new URL(response.url());
    return `${String(response.status())} ${response.request().method()} ${pathname}`;
  };
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOwn = protocol === 'data:' || protocol === 'blob:' || origins.has(origin);
    if (!isOwn) note(`asked a third party: ${request.url()}`, true);
  });
  context.on('response', (response) => {
    const name = nameOf(response);
    if (/^200 GET \/(?:console|operator)\/assets\//.test(name)) return;
    note(name, response.status() >= 400 && !refusals.test(name));
  });
  context.on('console', (message) => {
    // The browser's own message for a response of 400 and more, which `response` has checked.
    const isOfAnswer = message.text().startsWith('Failed to load resource: the server responded');
    const isOfCut = isCut && message.text().endsWith('net::ERR_INCOMPLETE_CHUNKED_ENCODING');
    const isOfAbsence =
      isAway &&
      /^Failed to load resource: net::|a file of the console could not be loaded/.test(message.text());
    if (!isOfAnswer && !isOfCut && !isOfAbsence)
      note(`console ${message.type()}: ${message.text()}`, message.type() === 'error');
  });
  context.on('weberror', (error) => {
    note(`thrown: ${error.error().stack ?? error.error().message}`, true);
  });
}

/** The effect of a click may start a frame later. */
const QUIET_FRAMES = 6;
let settlings = 0;

declare global {
  interface Window {
    /** Number of frames without activity, as counted by this call. */
    quiet?: { call: number; frames: number };
  }
}

/** Waits until a page has its heading, and nothing on it is loading. */
export async function untilSettled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(
    ({ call, frames }) => {
      const isQuiet =
        !document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root, [data-loading]') &&
        document.getAnimations().every(({ playState }) => playState !== 'running');
      const before = window.quiet?.call === call ? window.quiet.frames : 0;
      window.quiet = { call, frames: isQuiet ? before + 1 : 0 };
      return window.quiet.frames >= frames;
    },
    { call: ++settlings, frames: QUIET_FRAMES },
  );
}

async function describe(error: unknown, page: Page, seen: readonly string[]): Promise<string> {
  const folder = join(workspaceRoot(), 'dist/console-e2e');
  const screenshot = join(folder, 'failed.png');
  mkdirSync(folder, { recursive: true });
  const [text] = await Promise.all([
    page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String),
    page.screenshot({ path: screenshot, timeout: 5_000 }).catch(() => undefined),
  ]);
  return [
    error instanceof Error ? error.message : String(error),
    `On ${page.url()} (screenshot: ${screenshot}):`,
    text,
    'Last events:',
    ...seen.slice(-SHOWN_EVENTS),
  ].join('\n');
}

export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Uses the menu that every page of a console has. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
  await heading(page, name);
  await untilSettled(page);
}
