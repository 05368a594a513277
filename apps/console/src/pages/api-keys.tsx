import { Anchor, Badge, Button, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { apiKeysQuery, type ApiKey } from '../api';
import { toDay, toShortDollars, toSpentDollars } from '../format';
import { KEY_STATUSES } from '../key-settings';
import { Card, type Column, RecordList } from '../parts/record-table';
import { When } from '../parts/request-parts';
import { Empty, PageHead } from '../parts/states';

/** Loaded on demand, since the form is larger than the page. */
const CreateKey = lazy(() => import('../parts/key-forms').then((forms) => ({ default: forms.CreateKey })));

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ key_public_id, name }) => (
      <Anchor
        fw={500}
        renderRoot={(props) => (
          <Link to="/keys/$keyPublicId" params={{ keyPublicId: key_public_id }} {...props} />
        )}
      >
        {name}
      </Anchor>
    ),
  },
  { name: 'Key', cell: ({ hint }) => <span className="code">ak-…{hint}</span> },
  {
    name: 'Status',
    cell: ({ status }) => <Badge color={KEY_STATUSES[status].colour}>{KEY_STATUSES[status].name}</Badge>,
  },
  {
    name: 'Spent this month',
    isNumber: true,
    cell: ({ monthly_spend, monthly_spend_limit }) =>
      monthly_spend_limit === null
        ? toSpentDollars(monthly_spend)
        : `${toSpentDollars(monthly_spend)} of ${toShortDollars(monthly_spend_limit)}`,
  },
  {
    name: 'Last used',
    cell: ({ last_used_at }) => (last_used_at ? <When seconds={last_used_at} /> : 'Never'),
  },
  { name: 'Expires', cell: ({ expires_at }) => (expires_at ? toDay(expires_at) : 'Never') },
];

const EMPTY: Record<ApiKey['status'], string> = {
  active: 'Create one to call the models from a program.',
  disabled: 'Keys that you switch off are listed here, until you enable them again.',
  expired: 'Keys that have expired are listed here.',
  revoked: 'Keys that you revoke are listed here, with their usage.',
};

export function Page() {
  const [status, setStatus] = useState<ApiKey['status']>('active');
  const [isOpen, { open, close }] = useDisclosure(false);
  const keys = useInfiniteQuery(apiKeysQuery(status));
  return (
    <>
      <PageHead
        title="API keys"
        lead="Your programs use them to call the models. A secret is shown once, when it is created."
      >
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
          Create key
        </Button>
      </PageHead>
      <SegmentedControl
        mb="md"
        aria-label="Status"
        value={status}
        onChange={(value) => setStatus(value as ApiKey['status'])}
        data={Object.entries(KEY_STATUSES).map(([value, { name }]) => ({ value, label: name }))}
      />
      <Card flush>
        <RecordList
          query={keys}
          label="API keys"
          columns={COLUMNS}
          keyOf={(key) => key.key_public_id}
          empty={
            <Empty icon={IconKey} title={`No ${status} keys`}>
              {EMPTY[status]}
            </Empty>
          }
        />
      </Card>
      {isOpen && (
        <Suspense>
          <CreateKey close={close} />
        </Suspense>
      )}
    </>
  );
}
