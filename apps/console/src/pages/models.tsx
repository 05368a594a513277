import { Anchor, Badge, Group, Text, TextInput, Tooltip } from '@mantine/core';
import { IconCube, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { apiKeysQuery, modelsQuery, type AccountModel, type ApiKey } from '../api';
import { toCount, toDollars, toNano, toShortCount } from '../format';
import { CopyableText } from '../parts/copyable';
import { Card, type Column, RecordTable } from '../parts/record-table';
import { Empty, Loaded, PageHead } from '../parts/states';
import { TOKEN_KINDS } from '../token-kinds';

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
        title="Models"
        lead="The models that your account may use, with prices in US dollars per million tokens."
      />
      <ModelSearch models={models.data?.data ?? []} wanted={wanted} search={search} setSearch={setSearch} />
      <Card flush>
        <Loaded query={models}>
          {({ data, active_api_keys }) =>
            data.length === 0 ? (
              <Empty icon={IconCube} title="No models yet">
                None is offered to your account. Ask the operator.
              </Empty>
            ) : (
              <RecordTable
                label="Models"
                columns={columnsFor(active_api_keys, named, data)}
                rows={data.filter(({ id }) => isFound(id, wanted))}
                keyOf={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Card>
      <Text size="xs" c="dimmed" mt="md">
        Context and output are counted in tokens. A new price applies to requests that begin after it.
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
        aria-label="Search the models"
        placeholder="Name of a model"
        leftSection={<IconSearch size={16} aria-hidden />}
        w={{ base: '100%', xs: 260 }}
        value={search}
        onChange={({ currentTarget: { value } }) => setSearch(value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {found === models.length ? '' : `${toCount(found)} of `}
        {toCount(models.length)} models
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
    cell: ({ id, kind }) => (
      <Group gap="xs" wrap="nowrap">
        <CopyableText text={id} label={`Copy ${id}`} />
        {kind === 'embeddings' && <Badge color="gray">Embeddings</Badge>}
      </Group>
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
    ? [{ name: 'Other prices', cell: ({ pricing }: AccountModel) => <OtherPrices pricing={pricing} /> }]
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
  {
    name: 'Input',
    cell: ({ input_modalities }) => (
      <Group gap={4} wrap="nowrap">
        {input_modalities.map((modality) => (
          <Badge key={modality} variant="default">
            {modality}
          </Badge>
        ))}
      </Group>
    ),
  },
  { name: 'Your API keys', cell: (model) => <AllowedKeys model={model} active={activeKeys} named={named} /> },
];

const OTHER_PRICES = [
  ...TOKEN_KINDS.map(({ price, per }) => [price, `${per} / 1M`] as const),
  ['image', 'per image'],
  ['request', 'per request'],
] as const;

/** The prices that only some models have. */
function toOtherPrices(pricing: AccountModel['pricing']): string[] {
  const lines = OTHER_PRICES.flatMap(([name, unit]) =>
    pricing[name] === undefined ? [] : [`${toDollars(pricing[name])} ${unit}`],
  );
  for (const step of pricing.steps ?? [])
    lines.push(
      `${toDollars(step.input)} in, ${toDollars(step.output)} out above ${toShortCount(step.above_prompt_tokens)}`,
    );
  return lines;
}

function OtherPrices({ pricing }: { pricing: AccountModel['pricing'] }) {
  return toOtherPrices(pricing).map((line) => (
    <Text key={line} size="xs" className="figures">
      {line}
    </Text>
  ));
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
  if (active === 0) return <Anchor renderRoot={(props) => <Link to="/keys" {...props} />}>Create one</Anchor>;
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
        {allowed === active ? 'All' : `${allowed.toString()} of ${active.toString()}`}
        <span className="only-heard">{names}</span>
      </Text>
    </Tooltip>
  );
}

function mayUse({ model_policy: policy }: ApiKey, model: string): boolean {
  return policy === null || policy.models.includes(model) === (policy.mode === 'allow');
}
