import { Button, Drawer, Grid, Group, Modal, Paper, Select, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCode, IconMessage, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { accountQuery, modelsQuery, sampleModelQuery, serviceQuery } from '../api';
import { acceptedBy } from '../attachments';
import { useConversation } from '../conversation';
import { toCount } from '@farebox/ui/format';
import { CodeSamples } from '../parts/code-samples';
import { MessageForm } from '../parts/message-form';
import { KeyChoice, NumberField } from '../parts/playground-parts';
import { ErrorNotice } from '@farebox/ui/errors';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import '../chat.css';
import { useStickToBottom } from '../parts/stick-to-bottom';
import { TurnView } from '../parts/turn-view';
import { usePlaygroundKey } from '../playground-key';
import { completionSamples } from '../samples';
import { CONTINUE, toMessages, withoutData, type Attachment } from '../turns';
import { t } from '@farebox/ui/language';

/** The numeric fields of a form; the model's own defaults apply otherwise. */
const numbersOf = (fields: Readonly<Record<string, number | string>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, number] => typeof field[1] === 'number'),
  );

export function Page() {
  const account = useQuery(accountQuery);
  return <Loaded query={account}>{({ account_id: id }) => <Playground key={id} accountId={id} />}</Loaded>;
}

function Playground({ accountId }: { accountId: string }) {
  const models = useQuery(modelsQuery);
  const sample = useQuery(sampleModelQuery).data;
  const service = useQuery(serviceQuery).data;
  const { key, keepOwn, obtain } = usePlaygroundKey(accountId);
  const conversation = useConversation(accountId, obtain);
  const { turns, error, isRunning } = conversation;
  const [chosen, setModel] = useState<string>();
  const [system, setSystem] = useState('');
  const [fields, setFields] = useState<Record<string, number | string>>({});
  const [isCodeOpen, code] = useDisclosure(false);
  const { box, content, stick } = useStickToBottom();
  const leaving = useBlocker({
    shouldBlockFn: () => isRunning,
    enableBeforeUnload: isRunning,
    withResolver: true,
  });

  const known = (models.data?.data ?? []).filter(({ kind }) => kind === 'chat');
  // A conversation goes on with the model that it is with.
  const last = turns.findLast((turn) => turn.model !== undefined)?.model;
  const limits = [chosen, last, sample].flatMap((wanted) => known.find(({ id }) => id === wanted) ?? [])[0];
  const model = limits?.id;
  const parameters = numbersOf(fields);
  const setField = (name: string) => (value: number | string) => setFields({ ...fields, [name]: value });
  const send = async (text: string, attachments: readonly Attachment[]): Promise<boolean> => {
    if (model === undefined) return false;
    stick();
    return conversation.send(text, attachments, { model, system, parameters });
  };

  return (
    <>
      <PageHead title={t('Playground')} lead={t('Real requests, charged like any other.')}>
        <Button
          variant="default"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={turns.length === 0 || isRunning}
          onClick={conversation.clear}
        >
          {t('Clear')}
        </Button>
        <Button variant="default" leftSection={<IconCode size={16} aria-hidden />} onClick={code.open}>
          {t('View as code')}
        </Button>
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper className="chat">
            <div className="chat-head">
              <Select
                aria-label={t('Model')}
                searchable
                allowDeselect={false}
                data={known.map(({ id }) => id)}
                value={model ?? null}
                onChange={(value) => setModel(value ?? undefined)}
              />
            </div>
            <div
              className="chat-log"
              role="log"
              aria-label={t('Conversation')}
              aria-live="polite"
              aria-busy={isRunning}
              tabIndex={0}
              ref={box}
            >
              <Stack gap="lg" ref={content}>
                {turns.length === 0 && (
                  <Empty icon={IconMessage} title={t('Talk to a model')}>
                    {t('The answer arrives word by word, with its tokens and its cost.')}
                  </Empty>
                )}
                {turns.map((turn, index) => {
                  const isLast = index === turns.length - 1;
                  return (
                    <TurnView
                      key={index}
                      turn={turn}
                      isRunning={isRunning && isLast}
                      onContinue={isLast && !isRunning ? () => void send(t(CONTINUE), []) : undefined}
                    />
                  );
                })}
                {error !== undefined && <ErrorNotice error={error} />}
                {models.error && <ErrorNotice error={models.error} retry={() => void models.refetch()} />}
              </Stack>
            </div>
            <MessageForm
              accepted={limits ? acceptedBy(limits.input_modalities) : []}
              apiKey={key?.secret}
              isRunning={isRunning}
              canSend={model !== undefined}
              toRequest={(text) =>
                model === undefined
                  ? undefined
                  : {
                      model,
                      messages: toMessages(system, [...turns, { role: 'user', content: text }]),
                      parameters,
                    }
              }
              send={send}
              stop={conversation.stop}
            />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper p="md" component="section" aria-label={t('Parameters')}>
            <Stack>
              <Textarea
                label={t('System message')}
                placeholder={t('How the model should answer')}
                autosize
                minRows={2}
                maxRows={8}
                value={system}
                onChange={({ currentTarget: { value } }) => setSystem(value)}
              />
              <NumberField
                label={t('Maximum output tokens')}
                description={
                  limits
                    ? t('A lower maximum holds less of your balance; the model allows {count}', {
                        count: toCount(limits.max_output_tokens),
                      })
                    : t('A lower maximum holds less of your balance')
                }
                placeholder={t('Default')}
                min={1}
                {...(limits && { max: limits.max_output_tokens })}
                value={fields['max_tokens'] ?? ''}
                onChange={setField('max_tokens')}
              />
              <Group grow align="flex-start">
                <NumberField
                  label={t('Temperature')}
                  placeholder={t('Default')}
                  min={0}
                  max={2}
                  step={0.1}
                  value={fields['temperature'] ?? ''}
                  onChange={setField('temperature')}
                />
                <NumberField
                  label={t('Top P')}
                  placeholder={t('Default')}
                  min={0}
                  max={1}
                  step={0.05}
                  value={fields['top_p'] ?? ''}
                  onChange={setField('top_p')}
                />
              </Group>
              <KeyChoice apiKey={key} keepOwn={keepOwn} />
            </Stack>
          </Paper>
        </Grid.Col>
      </Grid>
      <Drawer
        opened={isCodeOpen}
        onClose={code.close}
        title={t('This conversation as code')}
        position="right"
        size="lg"
      >
        {service && model && (
          <CodeSamples
            samples={completionSamples({
              baseUrl: service.base_url,
              model,
              parameters,
              ...(turns.length > 0 || system ? { messages: toMessages(system, withoutData(turns)) } : {}),
            })}
          />
        )}
      </Drawer>
      <Modal
        opened={leaving.status === 'blocked'}
        onClose={() => leaving.reset?.()}
        title={t('Leave while the answer arrives?')}
      >
        <Stack>
          <Text>{t('The answer stops here. What has arrived is kept, and charged.')}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => leaving.proceed?.()}>
              {t('Leave')}
            </Button>
            <Button data-autofocus onClick={() => leaving.reset?.()}>
              {t('Stay')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
