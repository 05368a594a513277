import { Button, Drawer, Grid, Group, Paper, Select, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCode, IconMessage, IconPlayerStop, IconSend, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { modelsQuery, serviceQuery } from '../api';
import { toMessages, useConversation } from '../conversation';
import { CodeSamples } from '../parts/copyable';
import { KeyChoice, NumberField, TurnView, usePlaygroundKey } from '../parts/playground-parts';
import { Empty, ErrorNotice, PageHead } from '../parts/states';
import { completionSamples } from '../samples';

/** The numeric fields of a form; the model's own defaults apply otherwise. */
const numbersOf = (fields: Readonly<Record<string, number | string>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, number] => typeof field[1] === 'number'),
  );

export function Page() {
  const models = useQuery(modelsQuery);
  const service = useQuery(serviceQuery).data;
  const { key, keep, obtain } = usePlaygroundKey();
  const { turns, error, isRunning, send, stop, clear } = useConversation(obtain, () => keep(undefined));
  const [chosen, setModel] = useState<string>();
  const [system, setSystem] = useState('');
  const [fields, setFields] = useState<Record<string, number | string>>({ max_tokens: 512 });
  const [draft, setDraft] = useState('');
  const [isCodeOpen, code] = useDisclosure(false);

  const known = (models.data?.data ?? []).filter(({ kind }) => kind === 'chat');
  const model = chosen ?? known[0]?.id;
  const limits = known.find(({ id }) => id === model);
  const parameters = numbersOf(fields);
  const setField = (name: string) => (value: number | string) => setFields({ ...fields, [name]: value });
  const submit = async () => {
    const text = draft.trim();
    if (!model || !text || isRunning) return;
    setDraft('');
    // A refused text can be sent again with one press.
    if (!(await send(text, { model, system, parameters }))) setDraft(text);
  };

  return (
    <>
      <PageHead title="Playground" lead="Real requests through the gateway, charged like any other.">
        <Button
          variant="default"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={turns.length === 0 || isRunning}
          onClick={clear}
        >
          Clear
        </Button>
        <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
          View as code
        </Button>
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper className="chat">
            <Stack
              gap="lg"
              className="chat-log"
              role="log"
              aria-label="Conversation"
              aria-live="polite"
              aria-busy={isRunning}
              tabIndex={0}
            >
              {turns.length === 0 && (
                <Empty icon={IconMessage} title="Say something to a model">
                  The answer arrives word by word, with its tokens and its cost.
                </Empty>
              )}
              {turns.map((turn, index) => (
                <TurnView key={index} turn={turn} isRunning={isRunning && index === turns.length - 1} />
              ))}
              {error !== undefined && <ErrorNotice error={error} />}
              {models.error && <ErrorNotice error={models.error} retry={() => void models.refetch()} />}
            </Stack>
            <form
              className="chat-form"
              onSubmit={(event) => {
                event.preventDefault();
                void submit();
              }}
            >
              <Textarea
                aria-label="Message"
                placeholder="Write a message"
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
              <Group justify="space-between">
                <Text size="xs" c="dimmed" visibleFrom="xs">
                  Press Enter to send, Shift and Enter for a new line
                </Text>
                {isRunning ? (
                  <Button
                    color="red"
                    variant="light"
                    leftSection={<IconPlayerStop size={16} aria-hidden />}
                    onClick={stop}
                  >
                    Stop
                  </Button>
                ) : (
                  <Button
                    type="submit"
                    leftSection={<IconSend size={16} aria-hidden />}
                    disabled={!model || !draft.trim()}
                  >
                    Send
                  </Button>
                )}
              </Group>
            </form>
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper p="md" component="section" aria-label="Parameters">
            <Stack>
              <Select
                label="Model"
                searchable
                allowDeselect={false}
                data={known.map(({ id }) => id)}
                value={model ?? null}
                onChange={(value) => setModel(value ?? undefined)}
              />
              <Textarea
                label="System message"
                placeholder="How the model should answer"
                autosize
                minRows={2}
                maxRows={8}
                value={system}
                onChange={({ currentTarget: { value } }) => setSystem(value)}
              />
              <NumberField
                label="Maximum output tokens"
                description="A lower one holds less of your balance"
                min={1}
                {...(limits ? { max: limits.max_output_tokens } : {})}
                value={fields['max_tokens'] ?? ''}
                onChange={setField('max_tokens')}
              />
              <Group grow align="flex-start">
                <NumberField
                  label="Temperature"
                  placeholder="Default"
                  min={0}
                  max={2}
                  step={0.1}
                  value={fields['temperature'] ?? ''}
                  onChange={setField('temperature')}
                />
                <NumberField
                  label="Top P"
                  placeholder="Default"
                  min={0}
                  max={1}
                  step={0.05}
                  value={fields['top_p'] ?? ''}
                  onChange={setField('top_p')}
                />
              </Group>
              <KeyChoice apiKey={key} keep={keep} />
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
      <Drawer
        opened={isCodeOpen}
        onClose={code.close}
        title="This conversation as code"
        position="right"
        size="lg"
      >
        {service && model && (
          <CodeSamples
            samples={completionSamples({
              baseUrl: service.base_url,
              model,
              parameters,
              ...(turns.length > 0 || system ? { messages: toMessages(system, turns) } : {}),
            })}
          />
        )}
      </Drawer>
    </>
  );
}
