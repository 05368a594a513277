import { FareboxError, unwrap } from '@farebox/client';
import { infiniteQueryOptions, keepPreviousData, queryOptions, QueryClient } from '@tanstack/react-query';

/** A parameter of a verb, as the service declares it. */
export interface Parameter {
  name: string;
  description: string;
  required: boolean;
  kind: 'flag' | 'text' | 'texts' | 'file';
  choices: readonly string[] | null;
}

/** Something that an operator does, and that this one may do. */
export interface Verb {
  /** `account fund` */
  verb: string;
  help: string;
  method: 'GET' | 'POST';
  path: string;
  parameters: readonly Parameter[];
}

interface Me {
  operator: string;
  role: string;
  verbs: readonly Verb[];
}

/** The values of parameters, by name. */
export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

const API = '/operator/v1';

async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? await response.json() : await response.text();
  return unwrap(Promise.resolve(response.ok ? { response, data: body } : { response, error: body }));
}

export const pathOf = (verb: string): string => `${API}/${verb.replace(' ', '/')}`;

/** The query of a verb that reads. */
export function queryOf(given: Given): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === '' || value === false) continue;
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)])
      query.append(name, one);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => ask(`${API}/me`) as Promise<Me>,
  staleTime: Infinity,
});

/** While the page is looked at. */
const REFRESH_MS = 30_000;

/** The report of a verb that reads. */
export const readQuery = <Report>(verb: string, given: Given = {}) =>
  queryOptions({
    queryKey: ['verb', verb, given],
    queryFn: () => ask(pathOf(verb) + queryOf(given)) as Promise<Report>,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

interface Page<Row> {
  data: readonly Row[];
  has_more?: boolean;
  last_id?: string | null;
}

/** A list, in pages where it has them. */
export const listQuery = <Row>(verb: string, given: Given = {}) =>
  infiniteQueryOptions({
    queryKey: ['verb', verb, given, 'list'],
    queryFn: ({ pageParam }) =>
      ask(pathOf(verb) + queryOf({ ...given, after: pageParam })) as Promise<Page<Row>>,
    placeholderData: keepPreviousData,
    // Once somebody reads on, the list stays as it is.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : REFRESH_MS),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.last_id ?? undefined) : undefined),
  });

const asBody = (given: Given, accept: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept },
  body: JSON.stringify(given),
});

/** Does something, and returns what happened, in the sentence of the admin command. */
export async function change(verb: string, given: Given): Promise<string> {
  return String(await ask(pathOf(verb), asBody(given, 'text/plain'))).trim();
}

/** The report of a verb that reads, but takes a text that is too long for a query. */
export const examine = <Report>(verb: string, given: Given): Promise<Report> =>
  ask(pathOf(verb), asBody(given, 'application/json')) as Promise<Report>;

/** A report as CSV. */
export async function readCsv(verb: string, given: Given): Promise<string> {
  const path = pathOf(verb) + queryOf({ ...given, csv: 'true' });
  return String(await ask(path, { headers: { accept: 'text/plain' } }));
}

export const signOut = (): Promise<unknown> => ask('/operator/session', { method: 'DELETE' });

/** The question of something that cannot be undone; undefined if the error is another one. */
export function questionIn(error: unknown): string | undefined {
  if (!(error instanceof FareboxError) || error.status !== 400 || error.param !== 'yes') return undefined;
  return error.message.replace(/: send "yes": true to do it\.$/, '.');
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof FareboxError && error.code === 'authentication_error';

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;

export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // Without a network, a page reports that instead of waiting.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: FRESH_MS,
        retry: (failures, error) =>
          failures < MAX_RETRIES && (!(error instanceof FareboxError) || error.shouldRetry),
      },
    },
  });
