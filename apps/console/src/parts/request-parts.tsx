import { Anchor, Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Receipt, UsageRecord } from '../api';
import { toCount, toDollars, toDuration, toRelativeTime, toShortTime, toTime } from '../format';
import type { Column } from './record-table';

/** Every way in which a request can end, in the words of a customer. */
export const OUTCOMES: Readonly<
  Record<UsageRecord['outcome'], { name: string; colour: string; meaning: string }>
> = {
  completed: { name: 'Completed', colour: 'teal', meaning: 'The answer was delivered whole.' },
  client_gone: {
    name: 'Client left',
    colour: 'yellow',
    meaning: 'The connection was closed before the end. What had been delivered is charged.',
  },
  upstream_failed: {
    name: 'Broke off',
    colour: 'orange',
    meaning: 'The model failed on the way. What had been delivered is charged.',
  },
  upstream_timeout: {
    name: 'Timed out',
    colour: 'orange',
    meaning: 'The model fell silent. What had been delivered is charged.',
  },
  shutdown: {
    name: 'Cut short',
    colour: 'orange',
    meaning: 'The service was restarted. What had been delivered is charged.',
  },
  failed: { name: 'Failed', colour: 'red', meaning: 'Nothing was delivered, and nothing charged.' },
  refused: {
    name: 'Refused',
    colour: 'gray',
    meaning: 'It was turned down before the model, and not charged.',
  },
};

export function Outcome({ outcome }: { outcome: UsageRecord['outcome'] }) {
  const { name, colour } = OUTCOMES[outcome];
  return <Badge color={colour}>{name}</Badge>;
}

/** What has become of a request, where its outcome does not say it. */
const STATES: Readonly<
  Record<'running' | 'in_review' | 'refunded' | 'released', (typeof OUTCOMES)['completed']>
> = {
  running: { name: 'Running', colour: 'teal', meaning: 'It is under way. What it can cost at most is held.' },
  in_review: {
    name: 'In review',
    colour: 'yellow',
    meaning: 'Its cost was measured and is reserved. It is charged or released when the review is over.',
  },
  refunded: { name: 'Refunded', colour: 'gray', meaning: 'What it cost was given back.' },
  released: { name: 'Released', colour: 'gray', meaning: 'It ended without a charge.' },
};

/** In the words of a customer. */
export function becameOf({ state, outcome }: Receipt): (typeof OUTCOMES)['completed'] {
  if (state === 'charged') return OUTCOMES[outcome ?? 'completed'];
  return state === 'refused' || state === 'failed' ? OUTCOMES[state] : STATES[state];
}

export function State({ receipt }: { receipt: Receipt }) {
  const { name, colour } = becameOf(receipt);
  return <Badge color={colour}>{name}</Badge>;
}

const toIso = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** `3 minutes ago`, with the moment itself to point at. */
export function When({ seconds }: { seconds: number }) {
  return (
    <time dateTime={toIso(seconds)} title={toTime(seconds)}>
      {toRelativeTime(seconds)}
    </time>
  );
}

/** The moment, for what is looked up by it. */
export function Moment({ seconds }: { seconds: number }) {
  return (
    <time dateTime={toIso(seconds)} title={toTime(seconds)} className="figures">
      {toShortTime(seconds)}
    </time>
  );
}

/** How precise costs of single requests are shown, so that they stand below each other. */
export const COST_PLACES = 6;

/** A request as a row, wherever requests are listed. */
export const REQUEST_COLUMNS: readonly Column<UsageRecord>[] = [
  {
    name: 'Time',
    cell: ({ id, created_at }) => (
      <Anchor
        renderRoot={(props) => <Link to="/activity/$requestId" params={{ requestId: id }} {...props} />}
      >
        <Moment seconds={created_at} />
      </Anchor>
    ),
  },
  { name: 'Model', cell: ({ model }) => model ?? '–' },
  { name: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    name: 'Tokens',
    isNumber: true,
    cell: ({ total_tokens }) => (total_tokens ? toCount(total_tokens) : '–'),
  },
  { name: 'Latency', isNumber: true, cell: ({ latency_ms }) => toDuration(latency_ms) },
  { name: 'Cost', isNumber: true, cell: ({ cost }) => toDollars(cost, COST_PLACES) },
];
