import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { format, resolveConfig } from 'prettier';
import type { BrowserContext } from 'playwright-core';
import { withDemoConsole, type DemoConsole } from './demo-console';

const FILE = 'docs/benchmarks/console.md';
const BEGIN = '<!-- Written by `npm run bench -- console`. Do not edit. -->';
const END = '<!-- End of what is written. -->';
const RUNS = 5;
/** Lazy loading begins after the page is there. */
const SETTLED_MS = 1_500;

/** The network of a page load. The second is Lighthouse's model of a phone. */
const LINES = [
  { name: 'this machine', network: undefined, slowdown: 1 },
  { name: 'slow 4G, processor four times slower', network: { latencyMs: 150, kbitPerS: 1_638 }, slowdown: 4 },
] as const;

const PAGES = [
  { name: 'Sign-in', path: '/sign-in', visitor: 'nobody' },
  { name: 'Home', path: '/', visitor: 'demo' },
  { name: 'API keys', path: '/keys', visitor: 'demo' },
  { name: 'Playground', path: '/playground', visitor: 'demo' },
  { name: 'Usage', path: '/usage', visitor: 'demo' },
] as const;

interface Load {
  firstPaintMs: number;
  largestPaintMs: number;
  /** For the console's own files: paths. */
  files: string[];
  /** Files of the API. */
  calls: number;
  /** From other hosts. */
  foreign: number;
}

/** Loads pages with an empty cache, each five times, and writes the medians. `npm start` must be running. */
export async function run(): Promise<number> {
  let foreign = 0;
  await withDemoConsole(async (demo) => {
    const rows: string[] = [];
    for (const page of PAGES) {
      const loads: Load[][] = [];
      for (const line of LINES) loads.push(await loadOften(demo, page, line));
      const [fast = [], slow = []] = loads;
      const files = fast[0]?.files ?? [];
      const sizes = await sizesOf(demo, files);
      foreign += median(fast.map((load) => load.foreign));
      rows.push(
        `| ${[
          page.name,
          kilobytes(sizes.needed),
          kilobytes(sizes.all),
          files.length.toString(),
          median(fast.map(({ calls }) => calls)).toString(),
          ...[fast, slow].flatMap((runs) => [
            milliseconds(median(runs.map((load) => load.firstPaintMs))),
            milliseconds(median(runs.map((load) => load.largestPaintMs))),
          ]),
        ].join(' | ')} |`,
      );
    }
    await write(rows, demo.browser.version(), foreign);
  });
  return foreign === 0 ? 0 : 1;
}

type Line = (typeof LINES)[number];

async function loadOften(demo: DemoConsole, page: (typeof PAGES)[number], line: Line): Promise<Load[]> {
  const loads: Load[] = [];
  for (let i = 0; i < RUNS; i += 1) {
    const context = await demo.open({ visitor: page.visitor, viewport: { width: 1_280, height: 800 } });
    try {
      loads.push(await load(context, demo.baseUrl, page.path, line));
    } finally {
      await context.close();
    }
  }
  return loads;
}

/** Runs in the page: the last paint so far that was larger than those before. */
const OBSERVE = `new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.largestPaintMs = entry.startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true })`;

async function load(context: BrowserContext, baseUrl: string, path: string, line: Line): Promise<Load> {
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  if (line.network) {
    const bytesPerS = (line.network.kbitPerS * 1_000) / 8;
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: line.network.latencyMs,
      downloadThroughput: bytesPerS,
      uploadThroughput: bytesPerS,
    });
    await session.send('Emulation.setCPUThrottlingRate', { rate: line.slowdown });
  }
  const asked: URL[] = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  await page.goto(path);
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(SETTLED_MS);
  const [firstPaintMs, largestPaintMs] = await page.evaluate<[number, number]>(
    `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0, window.largestPaintMs ?? 0]`,
  );
  const own = asked.filter(({ origin }) => origin === baseUrl);
  return {
    firstPaintMs,
    largestPaintMs,
    files: own
      .map(({ pathname }) => pathname)
      .filter((name) => name === path || name.startsWith('/console/')),
    calls: own.filter(({ pathname }) => /^\/(v1|auth)\//.test(pathname)).length,
    foreign: asked.length - own.length,
  };
}

/** The font, and the chart library: both arrive when the page is already readable and usable. */
const IS_LATER = /\/(?:bars|font)-[^/]+\.(?:js|css)$|\.woff2$/;

/** The bytes that the service sends to a browser that accepts gzip. */
async function sizesOf({ baseUrl }: DemoConsole, files: readonly string[]) {
  const sizes = await Promise.all(
    files.map(async (file) => ({ file, size: await bytesOf(new URL(file, baseUrl)) })),
  );
  const sum = (chosen: typeof sizes) => chosen.reduce((total, { size }) => total + size, 0);
  return { all: sum(sizes), needed: sum(sizes.filter(({ file }) => !IS_LATER.test(file))) };
}

/** The raw bytes of a response, which `fetch` would decompress. */
function bytesOf(url: URL): Promise<number> {
  const headers = { accept: 'text/html, */*', 'accept-encoding': 'gzip' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve(bytes));
    });
    sent.on('error', reject).end();
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;
const milliseconds = (ms: number): string => `${ms.toFixed(0)} ms`;

async function write(rows: readonly string[], chromium: string, foreign: number): Promise<void> {
  const text = readFileSync(FILE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${FILE} has lost the marks of what is written.`);
  const written = `${BEGIN}

Chromium ${chromium}, ${new Date().toISOString().slice(0, 10)}, medians of ${RUNS.toString()} loads with an empty cache.
Requests to other hosts: ${foreign.toString()}.

| page | first load | with font and chart | files | calls of the API | first paint | largest paint | slow: first paint | slow: largest paint |
| - | -: | -: | -: | -: | -: | -: | -: | -: |
${rows.join('\n')}

`;
  const options = { ...(await resolveConfig(FILE)), filepath: FILE };
  writeFileSync(FILE, await format(text.slice(0, begin) + written + text.slice(end), options));
  console.log(`wrote ${FILE}\n\n${rows.join('\n')}`);
}
