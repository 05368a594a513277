import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { ApiKeyWithSecret } from '../api';
import { t } from '@farebox/ui/language';

export const NewApiKey = ({ apiKey, done }: { apiKey: ApiKeyWithSecret; done: () => void }) => (
  <NewSecret
    secret={apiKey.key}
    label={t('API key')}
    note={t('It is not shown again. Anybody who has it can spend your balance.')}
    copyLabel={t('Copy the API key')}
    done={done}
  />
);

interface SecretProps {
  secret: string;
  label: string;
  note: string;
  copyLabel: string;
  done: () => void;
}

/** The only time that a secret is shown. It takes the focus, so that a screen reader reads it out. */
export function NewSecret({ secret, label, note, copyLabel, done }: SecretProps) {
  const { copy, copied, error } = useClipboard();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), []);
  useHeldPage(true);
  return (
    <Stack>
      <Alert color="yellow" title={t('Copy it now')}>
        {note}
      </Alert>
      <Textarea
        ref={field}
        label={label}
        classNames={{ input: 'code' }}
        readOnly
        rows={2}
        spellCheck={false}
        value={secret}
        onFocus={({ currentTarget }) => currentTarget.select()}
        error={error && t('The browser refused to copy it. Select the text and copy it by hand.')}
        errorProps={{ role: 'alert' }}
      />
      <Group justify="flex-end">
        <Button
          variant="default"
          aria-label={copied ? t('Copied') : copyLabel}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={() => copy(secret)}
        >
          {copied ? t('Copied') : t('Copy')}
        </Button>
        <Text component="span" className="only-heard" role="status">
          {copied ? t('Copied') : ''}
        </Text>
        <Button onClick={done}>{t('Done')}</Button>
      </Group>
    </Stack>
  );
}

/** Neither Back nor closing the tab loses a secret that is shown or being created. */
export function useHeldPage(isHeld: boolean): void {
  useBlocker({ shouldBlockFn: () => isHeld, enableBeforeUnload: isHeld, disabled: !isHeld });
}
