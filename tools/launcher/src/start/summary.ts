import { type LocalFile } from './local-file';

const MODEL = 'farebox-small';

/** What the person who started Farebox sees last: where it is, his credentials, and commands to paste. */
export function summarise(local: LocalFile, seconds: string): string {
  const chat = (flags: string, body: object): string =>
    [
      `  curl ${flags}${local.base_url}/v1/chat/completions \\`,
      `    -H 'Authorization: Bearer ${local.api_key}' \\`,
      `    -H 'Content-Type: application/json' \\`,
      `    -d '${JSON.stringify(body)}'`,
    ].join('\n');
  const request = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }] };
  return `
Farebox is ready after ${seconds} s. The demo account has an API key, a session and 25 dollars to begin with.

  Base URL        ${local.base_url}   (${local.base_url}/v1 for OpenAI clients)
  API key         ${local.api_key}
  Session token   ${local.session_token}

A completion:

${chat('', request)}

The same as a stream:

${chat('-N ', { ...request, stream: true })}

The balance:

  curl ${local.base_url}/v1/billing/balance -H 'Authorization: Bearer ${local.session_token}'

Sign in yourself, by a link in this terminal:

  curl ${local.base_url}/auth/links -H 'Content-Type: application/json' -d '{"email":"demo@farebox.local"}'

The same values are in .farebox/local.json, and the logs in .farebox/logs. Ctrl-C stops everything.
`;
}
