import { unwrap } from '@farebox/client';
import { Badge, Button, Group, Stack, TextInput } from '@mantine/core';
import { IconDeviceLaptop, IconDevices } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { client, type Device, devicesQuery, type Session, sessionsQuery } from '../api';
import { nameClient } from '@farebox/ui/format';
import { Dialog } from '@farebox/ui/dialog';
import { ErrorNotice } from '@farebox/ui/errors';
import { Question } from '@farebox/ui/question';
import { Card, type Column, RecordList } from '@farebox/ui/record-table';
import { When } from '@farebox/ui/moments';
import { useSignOut } from '../sign-out';
import { Empty, PageHead } from '@farebox/ui/states';
import { rich, t } from '@farebox/ui/language';

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
  title: ReactNode;
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
          {current && <Badge>{t('This session')}</Badge>}
          {device_id && <Badge color="gray">{t('Device')}</Badge>}
        </Group>
      ),
    },
    { name: 'From', cell: ({ network }) => network ?? t('Unknown') },
    { name: 'Signed in', cell: ({ created_at }) => <When seconds={created_at} /> },
    { name: 'Last used', cell: ({ last_seen_at }) => <When seconds={last_seen_at} /> },
    {
      name: 'Ends if unused',
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
                  text: t('Whoever uses it is signed out.'),
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
  const [renaming, setRenaming] = useState<Device>();
  const columns: readonly Column<Device>[] = [
    { name: 'Device', cell: ({ name }) => <bdi>{name}</bdi> },
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
      cell: (device) =>
        device.status !== 'revoked' && (
          <Group gap="xs" wrap="nowrap" justify="flex-end">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('Rename {name}', { name: device.name })}
              onClick={() => setRenaming(device)}
            >
              {t('Rename')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('Revoke {name}', { name: device.name })}
              onClick={() => setEnding(revocationOf(device))}
            >
              {t('Revoke')}
            </Button>
          </Group>
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
            {t('Command-line and desktop programs that you sign in with are listed here.')}
          </Empty>
        }
      />
      {renaming && <RenameDialog device={renaming} close={() => setRenaming(undefined)} />}
      {ending && <EndDialog ending={ending} close={() => setEnding(undefined)} />}
    </Card>
  );
}

/** A name may be written from right to left, which must not turn the words around it. */
const revocationOf = ({ device_id, name }: Device): Ending => ({
  title: rich('Revoke {name}?', { name: <bdi>{name}</bdi> }),
  text: t('The device is signed out for good. It can be signed in again as a new device.'),
  button: t('Revoke'),
  end: () => unwrap(client.POST('/v1/devices/{device_id}/revoke', { params: { path: { device_id } } })),
});

function RenameDialog({ device: { device_id, name }, close }: { device: Device; close: () => void }) {
  const queryClient = useQueryClient();
  const [wanted, setWanted] = useState(name);
  const rename = useMutation({
    mutationFn: () =>
      unwrap(
        client.POST('/v1/devices/{device_id}/rename', {
          params: { path: { device_id } },
          body: { name: wanted.trim() },
        }),
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['devices'] });
      close();
    },
  });
  return (
    <Dialog title={rich('Rename {name}', { name: <bdi>{name}</bdi> })} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Stack>
          {rename.error && <ErrorNotice error={rename.error} />}
          <TextInput
            label={t('Name')}
            required
            maxLength={100}
            data-autofocus
            value={wanted}
            onChange={({ currentTarget: { value } }) => setWanted(value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={rename.isPending}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={rename.isPending}>
              {t('Rename')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
