import {
  consolePage,
  renderPage,
  sendConsoleAsset,
  sendPage,
  takesHtml,
  type ConsoleBrand,
  type ConsoleFiles,
  type RenderedPage,
  type Route,
} from '@farebox/http';
import type { NextFunction, Request, Response } from 'express';
import type { Locals } from './serve-endpoint';

export interface ConsoleParts {
  files: ConsoleFiles | undefined;
  /** The page has the operator's name as title, their colour, and may load their logo. */
  brand: ConsoleBrand;
}

/** First path segments that never belong to the console, in addition to those of the routes. */
const NOT_PAGES = ['v1', '.well-known', 'auth', 'console', 'metrics', 'healthz', 'readyz'];
/** For Stripe. The addresses beside it are pages. */
const STRIPE_PATH = '/webhooks/stripe';

/**
 * Serves the console to browsers: its assets, and its page under every address outside the API, so that each
 * address can be opened, reloaded and shared. Passes everything else on.
 */
export function serveConsole({ files, brand }: ConsoleParts, routes: readonly Route[]) {
  const apiPaths = routes.map(({ path }) => path).filter((path) => path !== STRIPE_PATH);
  const apiSegments = new Set([...NOT_PAGES, ...apiPaths.map(firstSegment)]);
  const isOfApi = (path: string): boolean => path === STRIPE_PATH || apiSegments.has(firstSegment(path));
  const sendIndex = files && consolePage(files, brand, (path) => !PAGES_WITHOUT_FRAME.has(path));
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    const asset = files?.assets.get(req.path);
    if (req.method !== 'GET' && req.method !== 'HEAD') next();
    else if (asset) {
      res.locals.route = 'console assets';
      sendConsoleAsset(asset, req, res);
    } else if (isOfApi(req.path) || !takesHtml(req.headers)) next();
    else {
      res.locals.route = 'console';
      if (sendIndex) sendIndex(req, res);
      else sendPage(res, 503, WITHOUT_CONSOLE);
    }
  };
}

const firstSegment = (text: string): string => text.split('/')[1] ?? '';

const WITHOUT_CONSOLE: RenderedPage = renderPage({
  title: 'The console is not installed',
  content: `<p>This service was started without the files of the console. The API works: <a href="/docs">read about it</a>.</p>
<p><small>For the operator: <code>npm run build -- account</code> adds the console to the service.</small></p>`,
});

/** The page shows an empty frame until its scripts have run, except where the console has none. */
const PAGES_WITHOUT_FRAME = new Set(['/sign-in', '/no-access', '/verify']);
