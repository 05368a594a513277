import { Alert, Button, CloseButton, FileButton, Group, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPaperclip, IconPlayerStop, IconSend } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readAttachment, whyNot } from '../attachments';
import { quoteCompletion, type Asked } from '../completion-stream';
import { toDollars } from '@farebox/ui/format';
import type { Attachment } from '../turns';
import { t } from '@farebox/ui/language';

const PAUSE_MS = 600;

/** Where a message is written, with what may go with it and what it may cost. */
export function MessageForm({
  accepted,
  apiKey,
  isRunning,
  canSend,
  toRequest,
  send,
  stop,
}: {
  /** The media types that the model takes beside text. */
  accepted: readonly string[];
  /** Without one, no cost is asked for. */
  apiKey: string | undefined;
  isRunning: boolean;
  canSend: boolean;
  /** The request that a text would be. */
  toRequest: (text: string) => Asked | undefined;
  /** Resolves to false if the message was refused. */
  send: (text: string, attachments: readonly Attachment[]) => Promise<boolean>;
  stop: () => void;
}) {
  const [draft, setDraft] = useState('');
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [fault, setFault] = useState<string>();
  const isEmpty = !draft.trim() && attachments.length === 0;
  const most = useMostCost({ apiKey, draft, toRequest, isOff: isRunning || attachments.length > 0 });

  const submit = async () => {
    const text = draft.trim();
    if (!canSend || isEmpty || isRunning) return;
    setDraft('');
    setAttachments([]);
    setFault(undefined);
    // A refused text can be sent again with one press.
    if (await send(text, attachments)) return;
    setDraft(text);
    setAttachments(attachments);
  };
  const attach = async (files: readonly File[]) => {
    const faults = files.map((file) => whyNot(file, accepted));
    setFault(faults.find((one) => one !== undefined));
    const good = files.filter((_, i) => faults[i] === undefined);
    try {
      const read = await Promise.all(good.map(readAttachment));
      setAttachments((before) => [...before, ...read]);
    } catch (error) {
      setFault(error instanceof Error ? error.message : t('The file cannot be read.'));
    }
  };

  return (
    <form
      className="chat-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {fault !== undefined && (
        <Alert color="red" py="xs" mb="xs" role="alert">
          {fault}
        </Alert>
      )}
      {attachments.length > 0 && (
        <Group gap="xs" mb={4}>
          {attachments.map(({ name }, i) => (
            <Group key={i} gap={2} wrap="nowrap" maw="100%">
              <Text size="xs" truncate title={name}>
                {name}
              </Text>
              <CloseButton
                size="sm"
                aria-label={t('Remove {name}', { name })}
                onClick={() => setAttachments(attachments.filter((_, other) => other !== i))}
              />
            </Group>
          ))}
        </Group>
      )}
      <Textarea
        aria-label={t('Message')}
        placeholder={t('Write a message')}
        variant="unstyled"
        autosize
        minRows={2}
        maxRows={10}
        value={draft}
        onChange={({ currentTarget: { value } }) => setDraft(value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void submit();
        }}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          {accepted.length > 0 && (
            <FileButton multiple accept={accepted.join(',')} onChange={(files) => void attach(files)}>
              {(props) => (
                <Button
                  {...props}
                  size="xs"
                  variant="default"
                  leftSection={<IconPaperclip size={14} aria-hidden />}
                >
                  {t('Attach')}
                </Button>
              )}
            </FileButton>
          )}
          <Text size="xs" c="dimmed" visibleFrom="xs">
            {t('Press Enter to send, Shift and Enter for a new line')}
          </Text>
        </Group>
        <Group gap="sm">
          {most !== undefined && (
            <Text size="xs" c="dimmed" className="figures">
              {t('At most {amount}', { amount: toDollars(most) })}
            </Text>
          )}
          {isRunning ? (
            <Button
              color="red"
              variant="light"
              leftSection={<IconPlayerStop size={16} aria-hidden />}
              onClick={stop}
            >
              {t('Stop')}
            </Button>
          ) : (
            <Button
              type="submit"
              leftSection={<IconSend size={16} aria-hidden />}
              disabled={!canSend || isEmpty}
            >
              {t('Send')}
            </Button>
          )}
        </Group>
      </Group>
    </form>
  );
}

/** In dollars, once the writer pauses; undefined if it is not known. */
function useMostCost({
  apiKey,
  draft,
  toRequest,
  isOff,
}: {
  apiKey: string | undefined;
  draft: string;
  toRequest: (text: string) => Asked | undefined;
  isOff: boolean;
}): string | undefined {
  const [text] = useDebouncedValue(draft.trim(), PAUSE_MS);
  const request = isOff || text === '' ? undefined : toRequest(text);
  const isAsked = apiKey !== undefined && request !== undefined && draft.trim() !== '';
  const quote = useQuery({
    queryKey: ['quote', apiKey, request],
    queryFn: ({ signal }) =>
      apiKey !== undefined && request ? quoteCompletion(apiKey, request, signal) : undefined,
    enabled: isAsked,
    // The request itself shows why it is refused.
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return isAsked && !quote.isError ? quote.data : undefined;
}
