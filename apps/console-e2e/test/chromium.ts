import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** The usual paths of Chromium and of browsers built from it. */
const KNOWN_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/opt/homebrew/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const NONE =
  'There is no Chromium for the tests of the console: install it ("apt-get install chromium" on Debian), or name the program in CHROMIUM_PATH.';

/** Starts a browser with its own temporary profile and without background requests. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: locateChromium(),
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

function locateChromium(): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROMIUM_PATH names ${named}, which does not exist.`);
  }
  const found = find() ?? (install() ? find() : undefined);
  if (found === undefined) throw new Error(NONE);
  return found;
}

const find = (): string | undefined => KNOWN_PATHS.find((path) => existsSync(path));

const INSTALL_BOUND_MS = 240_000;

/** Limit of a whole start, including an installation. */
export const LAUNCH_BOUND_MS = 2 * INSTALL_BOUND_MS + 60_000;

/** From Debian's packages, as root. The image may lack the package lists. */
function install(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', args, {
      timeout: INSTALL_BOUND_MS / 2,
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const installed = (): boolean => apt('install', '-y', '--no-install-recommends', 'chromium');
  return installed() || (apt('update') && installed());
}
