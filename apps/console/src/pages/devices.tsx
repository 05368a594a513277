import { unwrap } from '@farebox/client';
import { Badge, Button, Group, Stack } from '@mantine/core';
import { IconDeviceLaptop, IconDevices } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Device, devicesQuery, type Session, sessionsQuery } from '../api';
import { nameClient } from '../format';
import { Dialog } from '../parts/dialog';
import { Question } from '../parts/question';
import { Card, type Column, RecordList } from '../parts/record-table';
import { When } from '../parts/request-parts';
import { useSignOut } from '../sign-out';
import { Empty, PageHead } from '../parts/states';
import { t } from '../language';

export function Page() {
  return (
    <>
      <PageHead
        title={t('Devices and sessions')}
        lead={t(
          'Where your account is signed in. Anything you end here is refused from the next request on.',
        )}
      />
      <Stack gap="lg">
        <Sessions />
        <Devices />
      </Stack>
    </>
  );
}

interface Ending {
  title: string;
  text: string;
  button: string;
  end: () => Promise<unknown>;
}

/** Asks before a session or a device ends. */
function EndDialog({ ending: { title, text, button, end }, close }: { ending: Ending; close: () => void }) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: end,
    onSuccess: async () => {
      // The session of a device ends with it.
      await Promise.all(
        [['sessions'], ['devices']].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
      close();
    },
  });
  return (
    <Dialog title={title} close={close}>
      <Question text={text} change={change} button={button} close={close} />
    </Dialog>
  );
}

function Sessions() {
  const sessions = useInfiniteQuery(sessionsQuery);
  const [ending, setEnding] = useState<Ending>();
  const { signOut } = useSignOut();
  const columns: readonly Column<Session>[] = [
    {
      name: 'Session',
      cell: ({ browser, user_agent, current, device_id }) => (
        <Group gap="xs" wrap="nowrap" title={user_agent ?? ''}>
          {nameClient({ browser, user_agent })}
          {current && <Badge>{t('This one')}</Badge>}
          {device_id && <Badge color="gray">{t('Device')}</Badge>}
        </Group>
      ),
    },
    { name: 'Signed in', cell: ({ created_at }) => <When seconds={created_at} /> },
    { name: 'Last used', cell: ({ last_seen_at }) => <When seconds={last_seen_at} /> },
    {
      name: 'Ends unless used',
      // Without use it ends sooner.
      cell: ({ expires_at, idle_expires_at }) => <When seconds={Math.min(expires_at, idle_expires_at)} />,
    },
    {
      name: 'Action',
      isNumber: true,
      isNameless: true,
      cell: ({ session_id, current, browser, user_agent }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={
            current
              ? t('Sign out of this session')
              : t('End the session of {client}', { client: nameClient({ browser, user_agent }) })
          }
          onClick={() =>
            current
              ? signOut()
              : setEnding({
                  title: t('End the session?'),
                  text: t('Its user is signed out.'),
                  button: t('End session'),
                  end: () =>
                    unwrap<unknown>(
                      client.DELETE('/auth/sessions/{session_id}', { params: { path: { session_id } } }),
                    ),
                })
          }
        >
          {current ? t('Sign out') : t('End')}
        </Button>
      ),
    },
  ];
  return (
    <Card flush title={t('Sessions')}>
      <RecordList
        query={sessions}
        label={t('Sessions')}
        columns={columns}
        keyOf={({ session_id }) => session_id}
        empty={<Empty icon={IconDevices} title={t('No sessions')} />}
      />
      {ending && <EndDialog ending={ending} close={() => setEnding(undefined)} />}
    </Card>
  );
}

function Devices() {
  const devices = useInfiniteQuery(devicesQuery);
  const [ending, setEnding] = useState<Ending>();
  const columns: readonly Column<Device>[] = [
    { name: 'Device', cell: ({ name }) => name },
    { name: 'Platform', cell: ({ platform }) => platform },
    {
      name: 'Status',
      cell: ({ status }) => (
        <Badge color={status === 'revoked' ? 'gray' : 'teal'}>
          {status === 'revoked' ? t('Revoked') : t('Active')}
        </Badge>
      ),
    },
    {
      name: 'Last seen',
      cell: ({ last_seen_at }) => (last_seen_at ? <When seconds={last_seen_at} /> : t('Never')),
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
            aria-label={t('Revoke {name}', { name })}
            onClick={() =>
              setEnding({
                title: t('Revoke {name}?', { name }),
                text: t('The device and its session end permanently.'),
                button: t('Revoke'),
                end: () =>
                  unwrap(client.POST('/v1/devices/{device_id}/revoke', { params: { path: { device_id } } })),
              })
            }
          >
            {t('Revoke')}
          </Button>
        ),
    },
  ];
  return (
    <Card flush title={t('Devices')}>
      <RecordList
        query={devices}
        label={t('Devices')}
        columns={columns}
        keyOf={({ device_id }) => device_id}
        empty={
          <Empty icon={IconDeviceLaptop} title={t('No devices')}>
            {t('A command line or desktop client that you sign in with is listed here.')}
          </Empty>
        }
      />
      {ending && <EndDialog ending={ending} close={() => setEnding(undefined)} />}
    </Card>
  );
}
