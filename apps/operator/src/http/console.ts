import type { Brand } from '@farebox/config';
import { ApiError } from '@farebox/errors';
import { consolePage, sendConsoleAsset, takesHtml, type ConsoleFiles } from '@farebox/http';
import type { NextFunction, Request, Response } from 'express';
import { requireCaller, type Access } from './access';
import { OPENID_PATH } from './openid';
import { HOME, LINKS_PATH, sendPage } from './sign-in';

export interface ConsoleParts {
  /** Undefined if they are missing next to the bundle. */
  files: ConsoleFiles | undefined;
  access: Access;
  brand: Brand;
  hasOpenId: boolean;
}

/** Paths below `/operator` that are never a page of the console. */
const NOT_A_PAGE = /^\/operator\/(?:v1|assets|links|openid|sessions?)(?:\/|$)/;
const PAGE = /^\/operator(?:\/|$)/;

/**
 * Serves the console to people who have signed in: its page under every address that is nothing else, so that each can
 * be opened and shared. Others get a page that says how to sign in. Passes everything else on.
 */
export function serveConsole({ files, access, brand, hasOpenId }: ConsoleParts) {
  const sendIndex = files && consolePage(files, brand, () => true);
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const asset = files?.assets.get(req.path);
    if (req.method !== 'GET' && req.method !== 'HEAD') next();
    else if (asset) {
      res.locals['route'] = 'console assets';
      sendConsoleAsset(asset, req, res);
    } else if (!PAGE.test(req.path) || NOT_A_PAGE.test(req.path)) next();
    else if (req.path !== HOME && !takesHtml(req.headers)) next();
    else {
      res.locals['route'] = 'console';
      if (!(await isSignedIn(req, access))) sendWelcome(res, brand, hasOpenId);
      else if (sendIndex) sendIndex(req, res);
      else sendPage(res, 503, brand, WITHOUT_CONSOLE);
    }
  };
}

async function isSignedIn(req: Request, access: Access): Promise<boolean> {
  try {
    await requireCaller(req, access);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

function sendWelcome(res: Response, brand: Brand, hasOpenId: boolean): void {
  const way = hasOpenId
    ? `<p><a href="${OPENID_PATH}">Sign in</a></p>`
    : `<form method="post" action="${LINKS_PATH}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
<button type="submit">Mail me a link</button>
</form>`;
  sendPage(res, 401, brand, {
    title: `Operate ${brand.name}`,
    content: `<p>You are not signed in.</p>\n${way}`,
  });
}

const WITHOUT_CONSOLE = {
  title: 'The console is not installed',
  content: `<p>This service was started without the files of its console. The API and the admin command work.</p>
<p><small><code>npm run build -- operator</code> adds the console to the service.</small></p>`,
};
