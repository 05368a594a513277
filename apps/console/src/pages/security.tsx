import type { PlainText } from '@farebox/texts';
import { Anchor, Badge, Group, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AccountEvent, accountEventsQuery } from '../api';
import { nameClient, nameEvent } from '@farebox/ui/format';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { Empty, PageHead } from '@farebox/ui/states';
import { rich, t } from '@farebox/ui/language';

export function Page() {
  return (
    <>
      <PageHead
        title={t('Security')}
        lead={t('Changes to your account and its credentials: when, by whom and from where.')}
      />
      <Stack gap="lg">
        <NotYou />
        <Events />
      </Stack>
    </>
  );
}

/** Help for customers who see an event that is not theirs. */
function NotYou() {
  return (
    <Card title={t('Something you do not recognise?')}>
      <Text size="sm">
        {rich(
          '<sessions>Sign out everywhere</sessions>, revoke the <keys>API keys</keys> and <devices>devices</devices> that you do not recognise, and check who else can read your mail: sign-in links are sent there.',
          { sessions: linkTo('/settings'), keys: linkTo('/keys'), devices: linkTo('/devices') },
        )}
      </Text>
    </Card>
  );
}

const linkTo = (to: '/settings' | '/keys' | '/devices') => (words: string) => (
  <Anchor inherit underline="always" renderRoot={(props) => <Link to={to} {...props} />}>
    {words}
  </Anchor>
);

const COLUMNS: readonly Column<AccountEvent>[] = [
  {
    name: 'What',
    cell: (event) => (
      <Group gap="xs" wrap="nowrap">
        {nameEvent(event)}
        {event.new_browser && <Badge>{t('New browser')}</Badge>}
      </Group>
    ),
  },
  { name: 'When', cell: ({ created_at }) => <When seconds={created_at} /> },
  { name: 'By', cell: ({ actor_kind }) => t(ACTORS[actor_kind]) },
  {
    name: 'With',
    cell: (event) =>
      event.user_agent === null ? '–' : <span title={event.user_agent}>{nameClient(event)}</span>,
  },
  { name: 'Network', cell: ({ network }) => network ?? '–' },
];

const ACTORS: Record<AccountEvent['actor_kind'], PlainText> = {
  session: 'A session',
  device: 'A device',
  operator: 'The operator',
  system: 'The service',
};

function Events() {
  const events = useInfiniteQuery(accountEventsQuery);
  return (
    <Card flush title={t('Events')} note={t('Only the first part of the network address is kept.')}>
      <RecordList
        query={events}
        label={t('Events')}
        columns={COLUMNS}
        keyOf={({ event_id }) => event_id}
        empty={<Empty icon={IconShieldCheck} title={t('Nothing yet')} />}
      />
    </Card>
  );
}
