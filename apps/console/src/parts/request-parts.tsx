import type { PlainText } from '@farebox/texts';
import { Anchor, Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Receipt, UsageRecord } from '../api';
import { toCount, toDuration } from '@farebox/ui/format';
import { Moment } from '@farebox/ui/moments';
import type { Column } from '@farebox/ui/record-table';
import { t } from '@farebox/ui/language';

/** Every outcome of a request, in a customer's words. */
export const OUTCOMES: Readonly<
  Record<UsageRecord['outcome'], { name: PlainText; colour: string; meaning: PlainText }>
> = {
  completed: { name: 'Completed', colour: 'teal', meaning: 'The answer was delivered completely.' },
  client_gone: {
    name: 'Disconnected',
    colour: 'yellow',
    meaning: 'The connection was closed before the end. What had been delivered is charged.',
  },
  upstream_failed: {
    name: 'Broke off',
    colour: 'orange',
    meaning: 'The model failed midway. What had been delivered is charged.',
  },
  upstream_timeout: {
    name: 'Timed out',
    colour: 'orange',
    meaning: 'The model stopped responding. What had been delivered is charged.',
  },
  shutdown: {
    name: 'Cut short',
    colour: 'orange',
    meaning: 'The service was restarted. What had been delivered is charged.',
  },
  suspended: {
    name: 'Stopped',
    colour: 'orange',
    meaning: 'The account was suspended. What had been delivered is charged.',
  },
  failed: {
    name: 'Failed',
    colour: 'red',
    meaning: 'Nothing was delivered, and nothing was charged.',
  },
  refused: {
    name: 'Refused',
    colour: 'gray',
    meaning: 'It was turned down before the model, and not charged.',
  },
};

export function Outcome({ outcome }: { outcome: UsageRecord['outcome'] }) {
  const { name, colour } = OUTCOMES[outcome];
  return <Badge color={colour}>{t(name)}</Badge>;
}

/** The state of a request without an outcome. */
const STATES: Readonly<
  Record<'running' | 'in_review' | 'refunded' | 'released', (typeof OUTCOMES)['completed']>
> = {
  running: { name: 'Running', colour: 'teal', meaning: 'It is running. Its maximum cost is held.' },
  in_review: {
    name: 'In review',
    colour: 'yellow',
    meaning: 'Its cost was measured and is reserved. It is charged or released when the review is over.',
  },
  refunded: { name: 'Refunded', colour: 'gray', meaning: 'Its cost was refunded.' },
  released: { name: 'Released', colour: 'gray', meaning: 'It ended without a charge.' },
};

/** In a customer's words. */
export function becameOf({ state, outcome }: Receipt): (typeof OUTCOMES)['completed'] {
  if (state === 'charged') return OUTCOMES[outcome ?? 'completed'];
  return state === 'refused' || state === 'failed' ? OUTCOMES[state] : STATES[state];
}

export function State({ receipt }: { receipt: Receipt }) {
  const { name, colour } = becameOf(receipt);
  return <Badge color={colour}>{t(name)}</Badge>;
}

/** A request as a row of any list of requests. */
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
  {
    name: 'Outcome',
    cell: ({ outcome, error_message }) => (
      <div>
        <Outcome outcome={outcome} />
        {error_message !== null && (
          <Text size="xs" c="dimmed" truncate maw={260} title={error_message} lang="en">
            {error_message}
          </Text>
        )}
      </div>
    ),
  },
  { name: 'API key', cell: ({ key_name }) => key_name ?? '–' },
  {
    name: 'Tokens',
    isNumber: true,
    cell: ({ total_tokens }) => (total_tokens ? toCount(total_tokens) : '–'),
  },
  { name: 'Latency', isNumber: true, cell: ({ latency_ms }) => toDuration(latency_ms) },
  { name: 'Cost', isNumber: true, amount: ({ cost }) => cost },
];
