import type { PlainText } from '@farebox/texts';
import { Anchor, Badge, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { IconCube, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiKeysQuery, modelsQuery, type AccountModel, type ApiKey } from '../api';
import { toCount, toDollars, toNano, toShortCount } from '@farebox/ui/format';
import { CopyableText } from '@farebox/ui/copyable';
import { Card, type Column, RecordTable } from '@farebox/ui/record-table';
import { Empty, Loaded, PageHead } from '@farebox/ui/states';
import { TOKEN_KINDS } from '../token-kinds';
import { t } from '@farebox/ui/language';

export function Page() {
  const models = useQuery(modelsQuery);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const keys = useInfiniteQuery(apiKeysQuery('active'));
  // With more keys than a page has, only their number is shown.
  const named = keys.hasNextPage ? [] : (keys.data?.pages.flatMap(({ data }) => data) ?? []);
  return (
    <>
      <PageHead
        title={t('Models')}
        lead={t('The models that your account may use, with prices in US dollars per million tokens.')}
      />
      <ModelSearch models={models.data?.data ?? []} wanted={wanted} search={search} setSearch={setSearch} />
      <Card flush>
        <Loaded query={models}>
          {({ data, active_api_keys }) =>
            data.length === 0 ? (
              <Empty icon={IconCube} title={t('No models yet')}>
                {t('No model is offered to your account. Ask the operator.')}
              </Empty>
            ) : (
              <RecordTable
                label={t('Models')}
                columns={columnsFor(active_api_keys, named, data)}
                rows={data.filter(({ id }) => isFound(id, wanted))}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Card>
      <Text size="xs" c="dimmed" mt="md">
        {t('Context and output are counted in tokens. A new price applies to requests that begin after it.')}
      </Text>
    </>
  );
}

/** Above this number of models, they are searched rather than read. */
const MAX_UNSEARCHED = 10;

function ModelSearch({
  models,
  wanted,
  search,
  setSearch,
}: {
  models: readonly AccountModel[];
  wanted: string;
  search: string;
  setSearch: (search: string) => void;
}) {
  if (models.length <= MAX_UNSEARCHED) return null;
  const found = models.filter(({ id }) => isFound(id, wanted)).length;
  return (
    <Group mb="md" justify="space-between" gap="sm">
      <TextInput
        type="search"
        aria-label={t('Search the models')}
        placeholder={t('Name of a model')}
        leftSection={<IconSearch size={16} aria-hidden />}
        w={{ base: '100%', xs: 260 }}
        value={search}
        onChange={({ currentTarget: { value } }) => setSearch(value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {found === models.length
          ? t('{count, plural, one {# model} other {# models}}', { count: models.length })
          : t('{part} of {count, plural, one {# model} other {# models}}', {
              ...{ part: toCount(found), count: models.length },
            })}
      </Text>
    </Group>
  );
}

const isFound = (id: string, wanted: string): boolean => id.toLowerCase().includes(wanted);

const columnsFor = (
  activeKeys: number,
  named: readonly ApiKey[],
  models: readonly AccountModel[],
): readonly Column<AccountModel>[] => [
  {
    name: 'Model',
    cell: ({ id, kind, input_modalities: modalities }) => (
      <div>
        <CopyableText text={id} label={t('Copy {text}', { text: id })} />
        <Group gap={4}>
          {kind === 'embeddings' && <Badge color="gray">{t('Embeddings')}</Badge>}
          {modalities.length > 1 &&
            modalities.map((modality) => (
              <Badge key={modality} variant="default">
                {t(MODALITIES[modality])}
              </Badge>
            ))}
        </Group>
      </div>
    ),
    sortBy: ({ id }) => id,
  },
  {
    name: 'Input / 1M',
    isNumber: true,
    isLead: true,
    cell: ({ pricing }) => toDollars(pricing.input),
    sortBy: ({ pricing }) => toNano(pricing.input),
  },
  {
    name: 'Output / 1M',
    isNumber: true,
    // Embeddings have no output.
    cell: ({ kind, pricing }) => (kind === 'embeddings' ? '–' : toDollars(pricing.output)),
    sortBy: ({ pricing }) => toNano(pricing.output),
  },
  ...(models.some(({ pricing }) => toOtherPrices(pricing).length > 0)
    ? [
        {
          name: 'Other prices' as const,
          cell: ({ pricing }: AccountModel) => <OtherPrices pricing={pricing} />,
        },
      ]
    : []),
  {
    name: 'Context',
    isNumber: true,
    cell: ({ context_window }) => toShortCount(context_window),
    sortBy: ({ context_window }) => context_window,
  },
  {
    name: 'Maximum output',
    isNumber: true,
    cell: ({ kind, max_output_tokens }) => (kind === 'embeddings' ? '–' : toShortCount(max_output_tokens)),
  },
  { name: 'API keys', cell: (model) => <AllowedKeys model={model} active={activeKeys} named={named} /> },
];

const MODALITIES: Record<AccountModel['input_modalities'][number], PlainText> = {
  text: 'text',
  image: 'image',
  file: 'file',
};

const OTHER_PRICES = [
  ...TOKEN_KINDS.map(({ price, each }) => [price, each] as const),
  ['image', '{price} per image'],
  ['request', '{price} per request'],
] as const;

/** The prices that only some models have. */
function toOtherPrices(pricing: AccountModel['pricing']): string[] {
  const lines = OTHER_PRICES.flatMap(([name, text]) =>
    pricing[name] === undefined ? [] : [t(text, { price: toDollars(pricing[name]) })],
  );
  for (const step of pricing.steps ?? [])
    lines.push(
      t('{input} / {output} above {count}', {
        input: toDollars(step.input),
        output: toDollars(step.output),
        count: toShortCount(step.above_prompt_tokens),
      }),
    );
  return lines;
}

function OtherPrices({ pricing }: { pricing: AccountModel['pricing'] }) {
  const lines = toOtherPrices(pricing);
  if (lines.length === 0) return '–';
  return (
    <div>
      {lines.map((line) => (
        <Text key={line} size="xs" className="figures">
          {line}
        </Text>
      ))}
    </div>
  );
}

/** How many of the active keys may use a model, and which of those that are named. */
function AllowedKeys({
  model: { id, allowed_api_keys: allowed },
  active,
  named,
}: {
  model: AccountModel;
  active: number;
  named: readonly ApiKey[];
}) {
  if (active === 0)
    return <Anchor renderRoot={(props) => <Link to="/keys" {...props} />}>{t('Create one')}</Anchor>;
  const names = named
    .filter((key) => mayUse(key, id))
    .map(({ name }) => name)
    .join(', ');
  return (
    <Tooltip label={names} disabled={names === ''} multiline maw={320}>
      <Text
        component="span"
        size="sm"
        {...(allowed === 0 ? { c: 'dimmed' } : {})}
        {...(names === '' ? {} : { tabIndex: 0 })}
      >
        {allowed === active ? t('All') : t('{part} of {whole}', { part: allowed, whole: active })}
        <span className="only-heard">{names}</span>
      </Text>
    </Tooltip>
  );
}

function mayUse({ model_policy: policy }: ApiKey, model: string): boolean {
  return policy === null || policy.models.includes(model) === (policy.mode === 'allow');
}
