import { IconReceipt } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Given } from '../api';
import { VerbList } from './rows';

const FIELDS = [
  'ended_at',
  'id',
  'email',
  'model',
  'upstream',
  'outcome',
  'error_code',
  'cost',
  'latency_ms',
];

/** Requests that have ended, newest first. */
export function RequestList({
  given,
  title,
  head,
  hidden = [],
  empty,
}: {
  given: Given;
  title: string;
  head?: ReactNode;
  /** Fields that are the same in each row. */
  hidden?: readonly string[];
  empty: string;
}) {
  return (
    <VerbList
      verb="request list"
      given={given}
      title={title}
      icon={IconReceipt}
      fields={FIELDS.filter((field) => !hidden.includes(field))}
      lead="outcome"
      head={head}
      empty={empty}
    />
  );
}
