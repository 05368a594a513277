import { unwrap } from '@farebox/client';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDeviceLaptop, IconDevices } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { client, type Device, devicesQuery, type Session, sessionsQuery } from '../api';
import { nameClient } from '../format';
import { Card, type Column, RecordList } from '../parts/record-table';
import { When } from '../parts/request-parts';
import { useSignOut } from '../parts/shell';
import { Empty, ErrorNotice, PageHead } from '../parts/states';

export function Page() {
  return (
    <>
      <PageHead
        title="Devices and sessions"
        lead="Where your account is signed in. Anything you end here is refused from the next request on."
      />
      <Stack gap="lg">
        <Sessions />
        <Devices />
      </Stack>
    </>
  );
}

/** A change that needs a confirmation, and shows its error. */
function useEnding() {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: (call: () => Promise<unknown>) => call(),
    // The session of a device ends with it.
    onSuccess: () =>
      Promise.all([['sessions'], ['devices']].map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  const ask = (title: string, text: string, confirm: string, call: () => Promise<unknown>) =>
    modals.openConfirmModal({
      title,
      children: <Text size="sm">{text}</Text>,
      labels: { confirm, cancel: 'Cancel' },
      confirmProps: { color: 'red.9' },
      onConfirm: () => end.mutate(call),
    });
  return { ask, error: end.error };
}

function Sessions() {
  const sessions = useInfiniteQuery(sessionsQuery);
  const { ask, error } = useEnding();
  const { signOut } = useSignOut();
  const columns: readonly Column<Session>[] = [
    {
      name: 'Session',
      cell: ({ browser, user_agent, current, device_id }) => (
        <Group gap="xs" wrap="nowrap" title={user_agent ?? ''}>
          {nameClient({ browser, user_agent })}
          {current && <Badge>This one</Badge>}
          {device_id && <Badge color="gray">Device</Badge>}
        </Group>
      ),
    },
    { name: 'Signed in', cell: ({ created_at }) => <When seconds={created_at} /> },
    { name: 'Last used', cell: ({ last_seen_at }) => <When seconds={last_seen_at} /> },
    { name: 'Ends', cell: ({ expires_at }) => <When seconds={expires_at} /> },
    {
      name: 'Action',
      isNumber: true,
      isNameless: true,
      cell: ({ session_id, current, browser, user_agent }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={
            current ? 'Sign out of this session' : `End the session of ${nameClient({ browser, user_agent })}`
          }
          onClick={() =>
            current
              ? signOut()
              : ask('End the session?', 'Its user is signed out.', 'End session', () =>
                  unwrap(client.DELETE('/auth/sessions/{session_id}', { params: { path: { session_id } } })),
                )
          }
        >
          {current ? 'Sign out' : 'End'}
        </Button>
      ),
    },
  ];
  return (
    <Card flush title="Sessions">
      {error && <ErrorNotice error={error} />}
      <RecordList
        query={sessions}
        label="Sessions"
        columns={columns}
        keyOf={({ session_id }) => session_id}
        empty={<Empty icon={IconDevices} title="No sessions" />}
      />
    </Card>
  );
}

function Devices() {
  const devices = useInfiniteQuery(devicesQuery);
  const { ask, error } = useEnding();
  const columns: readonly Column<Device>[] = [
    { name: 'Device', cell: ({ name }) => name },
    { name: 'Platform', cell: ({ platform }) => platform },
    {
      name: 'Status',
      cell: ({ status }) => (
        <Badge color={status === 'revoked' ? 'gray' : 'teal'}>
          {status === 'revoked' ? 'Revoked' : 'Active'}
        </Badge>
      ),
    },
    {
      name: 'Last seen',
      cell: ({ last_seen_at }) => (last_seen_at ? <When seconds={last_seen_at} /> : 'Never'),
    },
    {
      name: 'Action',
      isNumber: true,
      isNameless: true,
      cell: ({ device_id, name, status }) =>
        status !== 'revoked' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Revoke ${name}`}
            onClick={() =>
              ask(`Revoke ${name}?`, 'The device and its session end permanently.', 'Revoke', () =>
                unwrap(client.POST('/v1/devices/{device_id}/revoke', { params: { path: { device_id } } })),
              )
            }
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <Card flush title="Devices">
      {error && <ErrorNotice error={error} />}
      <RecordList
        query={devices}
        label="Devices"
        columns={columns}
        keyOf={({ device_id }) => device_id}
        empty={
          <Empty icon={IconDeviceLaptop} title="No devices">
            A command line or desktop client that you sign in with is listed here.
          </Empty>
        }
      />
    </Card>
  );
}
