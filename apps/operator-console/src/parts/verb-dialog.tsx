import { FareboxError } from '@farebox/client';
import { CopyableText, CopyIcon } from '@farebox/ui/copyable';
import { Dialog } from '@farebox/ui/dialog';
import { ErrorNotice } from '@farebox/ui/errors';
import { tell } from '@farebox/ui/notices';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change, questionIn, type Given, type Verb } from '../api';
import { capitalised, fieldsOf, resultOf, toGiven, type Entries } from '../verb-fields';
import { VerbFields } from './verb-fields';

/**
 * Asks for the parameters of a verb, then, if it cannot be undone, the question of the service. Says what has happened
 * in a corner, or here if it is more than a sentence.
 */
export function VerbDialog({
  verb,
  given,
  ask,
  needs = [],
  start = {},
  title,
  button,
  close,
}: {
  verb: Verb;
  given: Given;
  ask: readonly string[] | undefined;
  /** Required here, if not by the verb. */
  needs?: readonly string[] | undefined;
  start?: Entries | undefined;
  title: string;
  button: string;
  close: () => void;
}) {
  const queryClient = useQueryClient();
  const fields = fieldsOf(verb, given, ask).map((field) =>
    needs.includes(field.name) ? { ...field, required: true } : field,
  );
  const [entries, setEntries] = useState<Entries>(start);
  const [result, setResult] = useState<string>();
  const doing = useMutation({
    mutationFn: (yes: boolean) =>
      change(verb.verb, { ...given, ...toGiven(fields, entries), ...(yes && { yes }) }),
    onSuccess: (text) => {
      void queryClient.invalidateQueries({ queryKey: ['verb'] });
      if (text.includes('\n')) setResult(text);
      else {
        tell({ message: text });
        close();
      }
    },
  });
  const question = questionIn(doing.error);
  if (result !== undefined) return <Result title={title} text={result} close={close} />;
  if (question !== undefined || (doing.isPending && doing.variables))
    return (
      <Dialog title={title} close={close}>
        <Stack>
          <QuestionText text={question ?? 'One moment.'} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => doing.reset()} disabled={doing.isPending} data-autofocus>
              Back
            </Button>
            <Button color="red.9" loading={doing.isPending} onClick={() => doing.mutate(true)}>
              Yes, {button.charAt(0).toLowerCase() + button.slice(1)}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    );
  const refusal = doing.error instanceof FareboxError ? doing.error : undefined;
  const isOfField = fields.some(({ name }) => name === refusal?.param);
  return (
    <Dialog title={title} close={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          doing.mutate(false);
        }}
      >
        <Stack>
          {doing.error && !isOfField && <ErrorNotice error={doing.error} />}
          <Text size="sm" c="dimmed">
            {capitalised(verb.help).replace(/\.?$/, '.')}
          </Text>
          <VerbFields
            fields={fields}
            entries={entries}
            change={(name, entry) => setEntries((before) => ({ ...before, [name]: entry }))}
            refused={refusal && { name: refusal.param, message: refusal.message }}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={doing.isPending}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={doing.isPending}
              disabled={needs.some((name) => String(entries[name] ?? '').trim() === '')}
            >
              {button}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** The question itself, below the table of what it concerns, if there is one. */
export function QuestionText({ text }: { text: string }) {
  const lines = text.split('\n');
  const question = lines.pop() ?? '';
  return (
    <>
      {lines.length > 0 && (
        <pre className="sample" tabIndex={0} aria-label="What it concerns">
          {lines.join('\n')}
        </pre>
      )}
      <Text size="sm">{question}</Text>
    </>
  );
}

function Result({ title, text, close }: { title: string; text: string; close: () => void }) {
  const { secret, sentences } = resultOf(text);
  return (
    <Dialog title={title} close={close} isHeld={secret !== undefined}>
      <Stack>
        {secret === undefined ? (
          <pre className="sample" tabIndex={0} aria-label="What was done">
            {sentences}
          </pre>
        ) : (
          <>
            <Alert color="yellow" title="Copy it now">
              It is not shown again.
            </Alert>
            {secret.includes('\n') ? (
              <Group gap={4} wrap="nowrap" align="flex-start">
                <pre className="sample" tabIndex={0} aria-label="Codes">
                  {secret}
                </pre>
                <CopyIcon text={secret} label="Copy them" />
              </Group>
            ) : (
              <CopyableText text={secret} label="Copy it" />
            )}
            <Text size="sm" className="lines">
              {sentences}
            </Text>
          </>
        )}
        <Group justify="flex-end">
          <Button onClick={close} data-autofocus>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
