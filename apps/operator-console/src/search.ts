/** The filters of a page, in its address, so that it can be shared. A missing value is the default. */
export interface Search {
  tab?: string | undefined;
  period?: string | undefined;
  search?: string | undefined;
  status?: string | undefined;
  state?: string | undefined;
  operator?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  account?: string | undefined;
  version?: string | undefined;
  key?: string | undefined;
  model?: string | undefined;
  upstream?: string | undefined;
  outcome?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** Parameters of the list of requests. */
export const FILTER_NAMES = ['account', 'key', 'model', 'upstream', 'outcome', 'since', 'until'] as const;

export type RequestFilter = Pick<Search, (typeof FILTER_NAMES)[number]>;

const NAMES = [
  ...['tab', 'period', 'search', 'status', 'state'],
  ...['operator', 'action', 'target', 'version', ...FILTER_NAMES],
] as const satisfies readonly string[];

/** The router reads `123` and `true` of an address as a number and a boolean. */
export function asSearch(given: Record<string, unknown>): Search {
  const known = NAMES.flatMap((name) => {
    const value = given[name];
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isText && value !== '' ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(known);
}
