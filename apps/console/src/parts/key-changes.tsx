import { unwrap } from '@farebox/client';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiKey, client } from '../api';
import { Dialog } from '@farebox/ui/dialog';
import { EditKey } from './key-forms';
import { NewApiKey, useHeldPage } from './new-secret';
import { tell } from '@farebox/ui/notices';
import { Question } from '@farebox/ui/question';
import { rich, t } from '@farebox/ui/language';

interface ChangeProps {
  record: ApiKey;
  close: () => void;
}

const DIALOGS = {
  edit: EditKey,
  disable: DisableKey,
  enable: EnableKey,
  rotate: RotateKey,
  revoke: RevokeKey,
} as const;

/** The buttons of a key that is not revoked; the playground's can only be revoked. A dialog stays open if the key is revoked meanwhile. */
export function KeyChanges({ record }: { record: ApiKey }) {
  const [opened, setOpened] = useState<keyof typeof DIALOGS>();
  const Opened = opened && DIALOGS[opened];
  return (
    <>
      {record.status !== 'revoked' && !record.playground && (
        <>
          <Button variant="default" onClick={() => setOpened('edit')}>
            {t('Edit')}
          </Button>
          <Button
            variant="default"
            onClick={() => setOpened(record.status === 'disabled' ? 'enable' : 'disable')}
          >
            {record.status === 'disabled' ? t('Enable') : t('Disable')}
          </Button>
          <Button variant="default" onClick={() => setOpened('rotate')}>
            {t('Rotate')}
          </Button>
        </>
      )}
      {record.status !== 'revoked' && (
        <Button color="red" variant="light" onClick={() => setOpened('revoke')}>
          {t('Revoke')}
        </Button>
      )}
      {Opened && <Opened record={record} close={() => setOpened(undefined)} />}
    </>
  );
}

function DisableKey({ record, close }: ChangeProps) {
  return (
    <Dialog title={<About question="Disable {name}?" record={record} />} close={close}>
      <Question
        text={t('The key is refused from the next request on, until you enable it again.')}
        change={useSwitch(record, true, close)}
        button={t('Disable')}
        close={close}
      />
    </Dialog>
  );
}

function EnableKey({ record, close }: ChangeProps) {
  return (
    <Dialog title={<About question="Enable {name}?" record={record} />} close={close}>
      <Question
        text={t('Programs that have its secret can use the key again.')}
        change={useSwitch(record, false, close)}
        button={t('Enable')}
        close={close}
      />
    </Dialog>
  );
}

function useSwitch(record: ApiKey, disabled: boolean, close: () => void) {
  return useMutation({
    mutationFn: () =>
      unwrap(client.PATCH('/v1/api-keys/{key_public_id}', { ...pathTo(record), body: { disabled } })),
    onSuccess: close,
    onSettled: useReread(record),
  });
}

function RotateKey({ record, close }: ChangeProps) {
  const rotate = useMutation({
    mutationFn: () =>
      unwrap(client.POST('/v1/api-keys/{key_public_id}/rotate', { ...pathTo(record), body: {} })),
    onSettled: useReread(record),
  });
  const secret = rotate.data;
  useHeldPage(rotate.isPending);
  return (
    <Dialog
      title={secret ? t('The new secret') : <About question="Rotate {name}?" record={record} />}
      close={close}
      isHeld={rotate.isPending || secret !== undefined}
    >
      {secret ? (
        <NewApiKey apiKey={secret} done={close} />
      ) : (
        <Question
          text={t(
            'The key gets a new secret. Programs with the old one are refused from the next request on.',
          )}
          change={rotate}
          button={t('Rotate')}
          close={close}
        />
      )}
    </Dialog>
  );
}

function RevokeKey({ record, close }: ChangeProps) {
  const revoke = useMutation({
    mutationFn: () => unwrap(client.DELETE('/v1/api-keys/{key_public_id}', pathTo(record))),
    onSuccess: () => {
      tell({ message: t('{name} is revoked.', { name: record.name }) });
      close();
    },
    onSettled: useReread(record),
  });
  return (
    <Dialog title={<About question="Revoke {name}?" record={record} />} close={close}>
      <Question
        text={t('From the next request on, the key is refused for good. Its usage is kept.')}
        change={revoke}
        button={t('Revoke')}
        close={close}
      />
    </Dialog>
  );
}

/** A name may be written from right to left, which must not turn the words around it. */
const About = ({ question, record: { name } }: { question: AskedName; record: ApiKey }) => (
  <>{rich(question, { name: <bdi>{name}</bdi> })}</>
);

type AskedName = 'Disable {name}?' | 'Enable {name}?' | 'Rotate {name}?' | 'Revoke {name}?';

const pathTo = ({ key_public_id }: ApiKey) => ({ params: { path: { key_public_id } } });

/** After a refusal, too: the key may have been changed elsewhere. */
function useReread({ key_public_id }: ApiKey) {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      [['api-keys'], ['api-key', key_public_id]].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
}
