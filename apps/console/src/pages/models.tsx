import { Anchor, Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconCube } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { apiKeysQuery, modelsQuery, type AccountModel, type ApiKey } from '../api';
import { toDollars, toShortCount } from '../format';
import { CopyableText } from '../parts/copyable';
import { Card, type Column, RecordTable } from '../parts/record-table';
import { Empty, Loaded, PageHead } from '../parts/states';
import { TOKEN_KINDS } from '../token-kinds';

export function Page() {
  const models = useQuery(modelsQuery);
  const keys = useInfiniteQuery(apiKeysQuery('active')).data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <PageHead
        title="Models"
        lead="The models that your account may use, with prices in US dollars per million tokens."
      />
      <Card flush>
        <Loaded query={models}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon={IconCube} title="No models yet">
                None is offered to your account. Ask the operator.
              </Empty>
            ) : (
              <RecordTable
                label="Models"
                columns={columnsFor(keys, data)}
                rows={data}
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

const columnsFor = (
  keys: readonly ApiKey[] | undefined,
  models: readonly AccountModel[],
): readonly Column<AccountModel>[] => [
  { name: 'Model', cell: ({ id }) => <CopyableText text={id} label={`Copy ${id}`} /> },
  { name: 'Input / 1M', isNumber: true, cell: ({ pricing }) => toDollars(pricing.input) },
  { name: 'Output / 1M', isNumber: true, cell: ({ pricing }) => toDollars(pricing.output) },
  ...(models.some(({ pricing }) => toOtherPrices(pricing).length > 0)
    ? [{ name: 'Other prices', cell: ({ pricing }: AccountModel) => <OtherPrices pricing={pricing} /> }]
    : []),
  { name: 'Context', isNumber: true, cell: ({ context_window }) => toShortCount(context_window) },
  {
    name: 'Maximum output',
    isNumber: true,
    cell: ({ max_output_tokens }) => toShortCount(max_output_tokens),
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
  { name: 'Your API keys', cell: ({ id }) => keys && <AllowedKeys model={id} keys={keys} /> },
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

/** How many of the live keys may use a model, and which. */
function AllowedKeys({ model, keys }: { model: string; keys: readonly ApiKey[] }) {
  if (keys.length === 0)
    return <Anchor renderRoot={(props) => <Link to="/keys" {...props} />}>Create one</Anchor>;
  const allowed = keys.filter((key) => mayUse(key, model));
  const names = allowed.map(({ name }) => name).join(', ');
  return (
    <Tooltip label={names} disabled={allowed.length === 0} multiline maw={320}>
      <Text component="span" size="sm" {...(allowed.length === 0 ? { c: 'dimmed' } : {})} tabIndex={0}>
        {allowed.length === keys.length ? 'All' : `${allowed.length.toString()} of ${keys.length.toString()}`}
        <span className="only-heard">{names}</span>
      </Text>
    </Tooltip>
  );
}

function mayUse({ model_policy: policy }: ApiKey, model: string): boolean {
  return policy === null || policy.models.includes(model) === (policy.mode === 'allow');
}
