import { type MetricDefinition, METRICS } from '../src/metric-table';

/** The rows of the metrics table in docs/operate/observability.md, as cells. */
export function metricRows(): string[][] {
  return Object.entries<MetricDefinition>(METRICS).map(([name, { type, labels, writers, help }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    writers.join(', '),
    help,
  ]);
}

/** The cells of each row of the table under this heading. */
export function tableUnder(markdown: string, heading: string): string[][] {
  const [, section = ''] = markdown.split(`\n${heading}\n`);
  const [untilNextHeading = ''] = section.split(/\n#+ /);
  const rows = untilNextHeading.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The metrics and labels that a Prometheus query names. */
interface QueryNames {
  metrics: string[];
  /** The matchers in braces, with their metric. */
  matchers: (readonly [metric: string, label: string, values: string])[];
  /** The labels that the result is grouped by. */
  grouping: string[];
}

const METRIC = /\b((?:farebox|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g;
const MATCHER = /(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;

export function namesOf(query: string): QueryNames {
  const series = [...query.matchAll(METRIC)];
  return {
    metrics: series.map(([, name = '']) => name),
    matchers: series.flatMap(([, name = '', braces = '']) =>
      [...braces.matchAll(MATCHER)].map(([, label = '', values = '']) => [name, label, values] as const),
    ),
    grouping: [...query.matchAll(GROUPING)].flatMap(([, list = '']) =>
      list.split(',').map((one) => one.trim()),
    ),
  };
}

/** Whether the parentheses, brackets and braces of a query are balanced. */
export function isBalanced(query: string): boolean {
  const open: string[] = [];
  const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const sign of query.replaceAll(/"[^"]*"/g, '')) {
    if ('([{'.includes(sign)) open.push(sign);
    else if (sign in closing && open.pop() !== closing[sign]) return false;
  }
  return open.length === 0;
}
