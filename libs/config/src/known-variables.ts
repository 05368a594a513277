/** Every FAREBOX_* variable that an app or the launcher reads: one process may be given what another one needs. */
export const KNOWN_VARIABLES: readonly string[] = [
  'FAREBOX_ACCOUNT_DATABASE_URL',
  'FAREBOX_ACCOUNT_PORT',
  'FAREBOX_ANSWER_KEYS',
  'FAREBOX_BOARD_HOST',
  'FAREBOX_BOARD_PORT',
  'FAREBOX_BOARD_TOKEN',
  'FAREBOX_CATALOG',
  'FAREBOX_CLIENT_STALL_TIMEOUT',
  'FAREBOX_CONTINUE_TRACES',
  'FAREBOX_DRAIN_TIMEOUT',
  'FAREBOX_FORGOTTEN_USAGE',
  'FAREBOX_GATEWAY_DATABASE_URL',
  'FAREBOX_GATEWAY_PORT',
  'FAREBOX_HOST',
  'FAREBOX_KEPT_BYTES_PER_ACCOUNT',
  'FAREBOX_KEPT_BYTES_PER_ANSWER',
  'FAREBOX_KEY_PEPPERS',
  'FAREBOX_LEASE',
  'FAREBOX_LOG_LEVEL',
  'FAREBOX_MAIL_FROM',
  'FAREBOX_MAIL_URL',
  'FAREBOX_METRICS_HOST',
  'FAREBOX_METRICS_PORT',
  'FAREBOX_PORT',
  'FAREBOX_PUBLIC_URL',
  'FAREBOX_RATE_LIMIT_CONCURRENT',
  'FAREBOX_RATE_LIMIT_REQUESTS',
  'FAREBOX_RATE_LIMIT_WINDOW',
  'FAREBOX_REVIEW_POLICY',
  'FAREBOX_SHOW_SIGN_IN_LINKS',
  'FAREBOX_STREAM_HEARTBEAT',
  'FAREBOX_STRIPE_API_URL',
  'FAREBOX_STRIPE_SECRET_KEY',
  'FAREBOX_STRIPE_WEBHOOK_SECRET',
  'FAREBOX_TOP_UP_MAX',
  'FAREBOX_TOP_UP_MIN',
  'FAREBOX_TRUSTED_PROXIES',
  'FAREBOX_USAGE_RETENTION_MONTHS',
  'FAREBOX_WORKER_DATABASE_URL',
];

/** Variables of test runs and of the development tools, which start with one of these. */
const TOOL_PREFIXES = ['FAREBOX_TEST_', 'FAREBOX_EDGE_', 'FAREBOX_SIMULATED_UPSTREAM'];
const PREFIX = 'FAREBOX_';

/** Names at most this many edits apart are taken for the same name, mistyped. */
const LARGEST_TYPO = 3;

/** One sentence for each FAREBOX_* variable that is set and that nobody reads. Values are never shown. */
export function warnOfUnknownVariables(setNames: readonly string[], known: ReadonlySet<string>): string[] {
  return setNames
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !isOfTool(name))
    .sort()
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      return `${name} is set, but nothing reads a variable of that name.${hint}`;
    });
}

function isOfTool(name: string): boolean {
  return TOOL_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function nearestName(name: string, known: ReadonlySet<string>): string | undefined {
  let nearest: string | undefined;
  let smallest = LARGEST_TYPO + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Levenshtein's distance: insertions, deletions and replacements that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1));
    }
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
