import type { Brand } from '@farebox/config';
import escapeHtml from 'escape-html';
import type { Response } from 'express';
import type { Caller } from './access';
import { OPENID_PATH } from './openid';
import { sendPage } from './sign-in';
import { describeVerbs } from './verbs';

/** The page of somebody who signed in: who they are, and what they may do. */
export function sendHome(
  res: Response,
  brand: Brand,
  { operator, role }: Caller,
  may: (words: string) => boolean,
): void {
  const verbs = describeVerbs(may).map(
    ({ verb, method, path, help }) =>
      `<dt><code>${escapeHtml(`${method} ${path}`)}</code></dt>\n<dd><strong>${escapeHtml(verb)}</strong>: ${escapeHtml(help)}</dd>`,
  );
  sendPage(res, 200, brand, {
    title: `Operate ${brand.name}`,
    content: `<p>You are <strong>${escapeHtml(operator)}</strong>, with the role ${role}.</p>
<p>This service is used by programs with a management key, and by the admin command. You may use:</p>
<dl>
${verbs.join('\n')}
</dl>`,
  });
}

/** The page of somebody who has not. */
export function sendWelcome(res: Response, brand: Brand, hasOpenId: boolean): void {
  const way = hasOpenId
    ? `<p><a href="${OPENID_PATH}">Sign in</a></p>`
    : '<p>Another operator makes a link for you: <code>admin operator link you@example.com</code></p>';
  sendPage(res, 401, brand, {
    title: `Operate ${brand.name}`,
    content: `<p>You are not signed in.</p>\n${way}`,
  });
}
