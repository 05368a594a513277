import type { PlainText } from '@farebox/texts';
import { Alert, Anchor, Badge, Box, Button, Group, Loader, Text } from '@mantine/core';
import { IconArrowRight, IconPaperclip } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue } from 'react';
import { receiptQuery } from '../api';
import { toCount, toDollars, toNano } from '@farebox/ui/format';
import { isCut, type Turn } from '../turns';
import { CopyIcon } from '@farebox/ui/copyable';
import { rich, t } from '@farebox/ui/language';

/** As it was written, until the other one is loaded, and if it cannot be. */
function PlainText({ text }: { text: string }) {
  return <div className="conversation-turn">{text}</div>;
}

const Markdown = lazy(() => import('./markdown').catch(() => ({ default: PlainText })));

/** One message, with its cost if it is a response. */
export function TurnView({
  turn,
  isRunning,
  onContinue,
}: {
  turn: Turn;
  isRunning: boolean;
  /** Given for the last turn, unless something runs. */
  onContinue?: (() => void) | undefined;
}) {
  const { role, content, model, attachments } = turn;
  const isMine = role === 'user';
  return (
    <Box className={isMine ? 'turn turn-mine' : 'turn'}>
      <Text size="xs" c="dimmed" fw={500} mb={2} style={{ overflowWrap: 'anywhere' }}>
        {isMine ? t('You') : (model ?? t('Model'))}
      </Text>
      {isMine ? <PlainText text={content} /> : <Answer turn={turn} isRunning={isRunning} />}
      {attachments && (
        <Group gap={6} mt={6}>
          {attachments.map(({ name, url }, i) => (
            <Badge
              key={i}
              variant="default"
              tt="none"
              maw="100%"
              leftSection={<IconPaperclip size={12} aria-hidden />}
            >
              {url === undefined ? t('{name} (no longer kept)', { name }) : name}
            </Badge>
          ))}
        </Group>
      )}
      {!isMine && !isRunning && <Ending turn={turn} onContinue={onContinue} />}
      {!isMine && !isRunning && <Costs turn={turn} />}
    </Box>
  );
}

function Answer({ turn: { content, reasoning }, isRunning }: { turn: Turn; isRunning: boolean }) {
  // A long answer is set again with each word, which may wait for the keyboard.
  const text = useDeferredValue(content);
  return (
    <>
      {reasoning && (
        <details className="reasoning">
          <summary>{isRunning && !content ? t('Thinking…') : t('Reasoning')}</summary>
          <PlainText text={reasoning} />
        </details>
      )}
      {text && (
        <Suspense fallback={<PlainText text={text} />}>
          <Markdown text={text} />
        </Suspense>
      )}
      {!content &&
        (isRunning ? (
          <Loader type="dots" size="sm" aria-label={t('Waiting for the answer')} />
        ) : (
          <Text c="dimmed">{t('The model returned no text.')}</Text>
        ))}
    </>
  );
}

const FINISHES: Readonly<Record<string, PlainText>> = {
  length: 'This answer was cut off at the maximum of output tokens.',
  content_filter: 'A content filter cut this answer off.',
};

/** Why an answer is not whole, and how to get the rest. */
function Ending({ turn, onContinue }: { turn: Turn; onContinue?: (() => void) | undefined }) {
  const finish = FINISHES[turn.finish ?? ''];
  const why = turn.end ?? (finish && t(finish));
  if (why === undefined) return null;
  return (
    <Alert mt="xs" color="yellow" py="xs">
      <Group justify="space-between" gap="xs">
        <Text fz="sm">
          {why} {turn.end !== undefined && turn.usage === undefined && <Charge id={turn.id} />}
        </Text>
        {onContinue && isCut(turn) && (
          <Button
            size="xs"
            variant="default"
            rightSection={<IconArrowRight size={14} aria-hidden />}
            onClick={onContinue}
          >
            {t('Continue')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** The cost of an answer that arrived without its usage. */
function Charge({ id }: { id: string | undefined }) {
  const receipt = useQuery({ ...receiptQuery(id ?? ''), enabled: id !== undefined }).data;
  if (id === undefined)
    return rich('<activity>Activity</activity> shows whether it was charged.', {
      activity: (words) => (
        <Anchor inherit renderRoot={(props) => <Link to="/activity" {...props} />}>
          {words}
        </Anchor>
      ),
    });
  if (receipt?.state === 'in_review') return t('What it costs is being checked.');
  if (!receipt || receipt.state === 'running') return t('What was delivered is charged.');
  return toNano(receipt.cost) === 0n
    ? t('Nothing was charged.')
    : t('{amount} was charged.', { amount: toDollars(receipt.cost) });
}

function Costs({ turn: { content, usage, id } }: { turn: Turn }) {
  return (
    <Group gap="xs" mt={6}>
      {usage && (
        <Text size="xs" c="dimmed">
          {t('{cost} · {prompt} prompt and {completion} completion tokens', {
            cost: toDollars(usage.cost),
            prompt: toCount(usage.prompt_tokens),
            completion: toCount(usage.completion_tokens),
          })}
        </Text>
      )}
      {id && (
        <Anchor
          fz="xs"
          renderRoot={(props) => <Link to="/activity/$requestId" params={{ requestId: id }} {...props} />}
        >
          {t('Receipt')}
        </Anchor>
      )}
      {content && <CopyIcon text={content} label={t('Copy the answer')} />}
    </Group>
  );
}
