import { Anchor, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LimitRow } from '../limit-rows';
import { rich, t } from '@farebox/ui/language';
import { type Column, RecordTable } from '@farebox/ui/record-table';
import { Moment } from '@farebox/ui/moments';
import { ShareBar } from '@farebox/ui/share-bar';

const COLUMNS: readonly Column<LimitRow>[] = [
  { name: 'Limit', cell: ({ name }) => name },
  { name: 'Applies to', cell: ({ key, model }) => <Scope apiKey={key} model={model} /> },
  {
    name: 'Used',
    isNumber: true,
    isLead: true,
    cell: ({ name, used, most, share }) => (
      <Stack gap={4}>
        <span>{t('{part} of {whole}', { part: used, whole: most })}</span>
        <ShareBar limit={name} share={share} />
      </Stack>
    ),
  },
  { name: 'Left', isNumber: true, cell: ({ left }) => left },
  {
    name: 'Resets',
    cell: ({ resetsAt }) => (resetsAt === null ? t('When a request ends') : <Moment seconds={resetsAt} />),
  },
];

export function LimitTable({ rows }: { rows: readonly LimitRow[] }) {
  return <RecordTable label={t('Limits')} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
}

function Scope({ apiKey, model }: { apiKey: LimitRow['key']; model: string | null }) {
  const key = apiKey && (
    <Anchor
      renderRoot={(props) => <Link to="/keys/$keyPublicId" params={{ keyPublicId: apiKey.id }} {...props} />}
    >
      <bdi>{apiKey.name}</bdi>
    </Anchor>
  );
  if (key && model !== null) return <span>{rich('API key {key}, model {model}', { key, model })}</span>;
  if (key) return <span>{rich('API key {key}', { key })}</span>;
  return model === null ? t('The account') : t('Model {model}', { model });
}
