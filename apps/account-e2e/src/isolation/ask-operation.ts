import type { Operation } from '@farebox/openapi';
import type { Received, Send, Sent } from '../http-client';
import { textsOfPdf } from './pdf-texts';
import { hasQuery, referencesOf, type ObjectKind } from './references';

/** What is sent to the operations that need a body. */
const BODIES: Readonly<Record<string, object | undefined>> = {
  createApiKey: { name: 'changed' },
  updateApiKey: { name: 'changed', model_policy: null },
  registerDevice: { name: 'changed', platform: 'x' },
  renameDevice: { name: 'changed' },
  createCheckout: { amount: '5.00' },
};

/** The months in which the owners of the stand used something. */
const RANGE = 'start=2026-01-01&end=2026-04-01';
const LONGEST_PAGE = 'limit=100';

export interface Asked {
  operation: Operation;
  /** For the parameters of the path. */
  ids: Record<ObjectKind, string>;
  accept?: string;
  /** In the query, as it stands there. */
  query?: string;
  /** Where the sender has none of its own. */
  sessionToken?: string;
}

/** Sends an operation's request, always with the same id, so that answers can be compared with their headers. */
export function askOperation(
  send: Send,
  { operation, ids, accept, query, sessionToken }: Asked,
): Promise<Received> {
  const { id, method, body, path } = operation;
  if (body?.isRequired && BODIES[id] === undefined) throw new Error(`say in BODIES what ${id} is sent`);
  const kinds = new Map(referencesOf(operation).map(({ name, kind }) => [name, kind]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const kind = kinds.get(name);
    return kind === undefined ? '' : ids[kind];
  });
  const range = hasQuery(operation, 'start') ? [RANGE] : [];
  const limit = hasQuery(operation, 'limit') ? [LONGEST_PAGE] : [];
  const search = [...range, ...limit, ...(query === undefined ? [] : [query])].join('&');
  const sent: Sent = {
    headers: {
      'x-request-id': 'isolation',
      ...(accept !== undefined && { accept }),
      ...(sessionToken !== undefined && { authorization: `Bearer ${sessionToken}` }),
      ...(BODIES[id] && { 'content-type': 'application/json' }),
    },
    ...(BODIES[id] && { body: BODIES[id] }),
  };
  return send(method, search === '' ? filled : `${filled}?${search}`, sent);
}

/** The forms in which an operation answers. */
export function formsOf({ answers }: Operation): string[] {
  return [...new Set(answers.flatMap(({ contents }) => contents.map(({ mediaType }) => mediaType)))];
}

/** What an answer says, in its headers too, in plain text. */
export function textOf(answer: Received): string {
  const isPdf = answer.headers['content-type'] === 'application/pdf' && answer.status === 200;
  return JSON.stringify(answer.headers) + (isPdf ? textsOfPdf(answer.bytes) : answer.text);
}
