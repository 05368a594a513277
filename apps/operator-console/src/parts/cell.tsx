import { toCount, toDollars, toDuration } from '@farebox/ui/format';
import { Moment } from '@farebox/ui/moments';
import { Anchor, Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { describeValue, isAmount, isPrice, isTime, type Row } from '../row-fields';

const COLOURS: Readonly<Record<string, string>> = {
  ...{
    active: 'teal',
    ok: 'teal',
    charged: 'teal',
    completed: 'teal',
    done: 'teal',
    live: 'teal',
    redeemed: 'teal',
    delivered: 'teal',
    enabled: 'teal',
    won: 'teal',
  },
  ...{
    invited: 'blue',
    open: 'yellow',
    in_review: 'yellow',
    running: 'blue',
    scheduled: 'blue',
    applied: 'teal',
    added: 'teal',
    changed: 'blue',
  },
  ...{
    suspended: 'red',
    failed: 'red',
    failing: 'red',
    misconfigured: 'red',
    removed: 'red',
    refused: 'red',
    disabled: 'red',
    lost: 'red',
  },
  ...{ upstream_failed: 'orange', upstream_timeout: 'orange', client_gone: 'yellow', shutdown: 'orange' },
};

/** A state in one word, with its colour. */
export function State({ state }: { state: string }) {
  return (
    <Badge component="span" color={COLOURS[state] ?? 'gray'}>
      {state.replaceAll('_', ' ')}
    </Badge>
  );
}

const STATES = new Set(['status', 'invite_status', 'state', 'outcome', 'role', 'change', 'via']);

export function CustomerLink({ account, children }: { account: string; children: ReactNode }) {
  return (
    <Anchor renderRoot={(props) => <Link to="/customers/$account" params={{ account }} {...props} />}>
      {children}
    </Anchor>
  );
}

export function RequestLink({ request }: { request: string }) {
  return (
    <Anchor renderRoot={(props) => <Link to="/requests/$request" params={{ request }} {...props} />}>
      <span className="code">{request}</span>
    </Anchor>
  );
}

export function WebhookLink({ webhook, children }: { webhook: string; children: ReactNode }) {
  return (
    <Anchor renderRoot={(props) => <Link to="/webhooks/$webhook" params={{ webhook }} {...props} />}>
      {children}
    </Anchor>
  );
}

/** A value of a record, by what it is: an amount, a time, a state, an id with its page. */
export function Cell({ field, row }: { field: string; row: Row }) {
  const value = row[field];
  if (value === null || value === undefined || value === '') return '–';
  if (field === 'margin' && isAmount(value) && value.startsWith('-'))
    return (
      <Text span inherit c="red">
        {toDollars(value)}
      </Text>
    );
  if (isAmount(value) || isPrice(field, value)) return toDollars(value);
  if (isTime(field, value)) return <Moment seconds={value} />;
  if (typeof value === 'number')
    return field.endsWith('_ms') ? toDuration(Math.round(value)) : toCount(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value !== 'string') return describeValue(value);
  if (field === 'email' && typeof row['account_id'] === 'string')
    return <CustomerLink account={row['account_id']}>{value}</CustomerLink>;
  if (field === 'url' && typeof row['webhook_id'] === 'string')
    return <WebhookLink webhook={row['webhook_id']}>{value}</WebhookLink>;
  if (value.startsWith('hook_'))
    return (
      <WebhookLink webhook={value}>
        <span className="code">{value}</span>
      </WebhookLink>
    );
  if (value.startsWith('acct_'))
    return (
      <CustomerLink account={value}>
        <span className="code">{value}</span>
      </CustomerLink>
    );
  if (/^(?:req_|chatcmpl-|resp_|msg_)/.test(value)) return <RequestLink request={value} />;
  if (value.startsWith('rev_'))
    return (
      <Anchor renderRoot={(props) => <Link to="/reviews/$review" params={{ review: value }} {...props} />}>
        <span className="code">{value}</span>
      </Anchor>
    );
  if (STATES.has(field)) return <State state={value} />;
  return field.endsWith('_id') ? <span className="code">{value}</span> : value;
}
