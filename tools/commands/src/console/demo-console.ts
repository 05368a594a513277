import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';
import { z } from 'zod';

const LOCAL_FILE = '.farebox/local.json';
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const SESSION_COOKIE = 'service_token';

const localFile = z.object({ base_url: z.string(), session_token: z.string() });

/** The demo account, one that is new and has nothing, or nobody. */
type Visitor = 'demo' | 'newcomer' | 'nobody';

/** The console of the demo account that `npm start` has set up here, and a browser to look at it with. */
export interface DemoConsole {
  baseUrl: string;
  browser: Browser;
  /** A fresh browser, with the session of the demo account by default. */
  open: (options?: BrowserContextOptions & { visitor?: Visitor }) => Promise<BrowserContext>;
  /** The demo account's data from the API. */
  read: (path: string) => Promise<unknown>;
}

/** Runs `use` with a browser, which is closed afterwards. Throws with a sentence if something is missing. */
export async function withDemoConsole(use: (demo: DemoConsole) => Promise<void>): Promise<void> {
  if (!existsSync(LOCAL_FILE)) throw new Error('Run "npm start" first, and leave it running.');
  const local = localFile.parse(JSON.parse(readFileSync(LOCAL_FILE, 'utf8')));
  const executablePath = process.env['CHROMIUM_PATH'] ?? BROWSERS.find((file) => existsSync(file));
  if (!executablePath)
    throw new Error(
      'There is no Chromium: install it ("apt install chromium"), or name it in CHROMIUM_PATH.',
    );
  const reachable = await fetch(`${local.base_url}/readyz`).catch(() => undefined);
  if (!reachable?.ok) throw new Error(`Nothing answers at ${local.base_url}: run "npm start" first.`);
  // Chromium's sandbox refuses to run as root, and is not needed for pages of our own.
  let newcomer: Promise<string> | undefined;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await use({
      baseUrl: local.base_url,
      browser,
      open: async ({ visitor = 'demo', ...options } = {}) => {
        const context = await browser.newContext({
          baseURL: local.base_url,
          locale: 'en-GB',
          timezoneId: 'UTC',
          reducedMotion: 'reduce',
          ...options,
        });
        if (visitor !== 'nobody')
          await context.addCookies([
            {
              ...{ name: SESSION_COOKIE, url: local.base_url, httpOnly: true },
              value:
                visitor === 'demo'
                  ? local.session_token
                  : await (newcomer ??= inviteNewcomer(local.base_url)),
            },
          ]);
        return context;
      },
      read: async (path) => {
        const headers = { authorization: `Bearer ${local.session_token}` };
        const response = await fetch(local.base_url + path, { headers });
        if (!response.ok) throw new Error(`GET ${path}: ${response.status.toString()}`);
        return response.json();
      },
    });
  } finally {
    await browser.close();
  }
}

const invited = z.object({ link: z.string() });
const session = z.object({ session_token: z.string() });

/** The session of an account that was invited now, and has nothing yet. */
async function inviteNewcomer(baseUrl: string): Promise<string> {
  const email = `newcomer-${Date.now().toString()}@example.com`;
  const args = ['run', '-s', 'admin', '--', 'account', 'invite', '--email', email, '--no-mail', '--json'];
  const { stdout } = await promisify(execFile)('npm', args);
  const token = invited.parse(JSON.parse(stdout)).link.split('/').at(-1);
  const response = await fetch(`${baseUrl}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return session.parse(await response.json()).session_token;
}
