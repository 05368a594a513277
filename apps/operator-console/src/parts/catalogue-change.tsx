import { inEnglish } from '@farebox/ui/language';
import { ErrorNotice } from '@farebox/ui/errors';
import { Card, RecordTable, type Column } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import '../catalogue.css';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { examine, readQuery } from '../api';
import { State } from './cell';
import { FileField } from './verb-fields';
import { useChosen } from './use-chosen';
import { VerbButton } from './verb-button';

interface FileOfVersion {
  /** Null: of the scheduled one. */
  version: number | null;
  catalog: string;
}

/** Begins with the file of a version: the one that was chosen, the scheduled one, or the newest. */
export function CatalogueChange() {
  const [{ version }] = useChosen();
  const file = useQuery({
    ...readQuery<FileOfVersion>('catalog show', version === 'scheduled' ? { scheduled: true } : { version }),
    // A text that is being written is not replaced.
    refetchInterval: false,
    retry: false,
    staleTime: Infinity,
  });
  // Before the first version there is no file.
  const shown = file.error ? { ...file, data: { version: 0, catalog: '' }, error: null } : file;
  return (
    <Loaded query={shown}>{({ catalog }) => <Editor key={version ?? 'newest'} start={catalog} />}</Loaded>
  );
}

interface Difference {
  changes: readonly Change[];
  warnings: readonly string[];
}

interface Change {
  kind: string;
  id: string;
  change: string;
  fields: readonly { field: string; before: string | null; after: string | null }[];
}

function Editor({ start }: { start: string }) {
  const [text, setText] = useState(start);
  const compare = useMutation({
    mutationFn: (file: string) => examine<Difference>('catalog diff', { file }),
  });
  // A difference of another text is none.
  const found = compare.variables === text ? compare.data : undefined;
  return (
    <>
      <Card title="Catalogue file" note="Edit it here, paste another one, or choose a file.">
        <Stack>
          <FileField text={text} change={setText} shown={{ label: 'Text of the file' }} />
          <Group>
            <Button
              variant={found ? 'default' : 'filled'}
              loading={compare.isPending}
              disabled={text.trim() === ''}
              onClick={() => compare.mutate(text)}
            >
              Show what changes
            </Button>
            <VerbButton
              verb="catalog rehearse"
              given={{ file: text }}
              ask={['since', 'until', 'group_by']}
              start={{ since: '7d' }}
              label="Rehearse"
              title="Who would have paid what"
            />
          </Group>
          {compare.error && compare.variables === text && <ErrorNotice error={compare.error} />}
        </Stack>
      </Card>
      {found && <DifferenceCard found={found} file={text} />}
    </>
  );
}

function DifferenceCard({ found: { changes, warnings }, file }: { found: Difference; file: string }) {
  return (
    <Card
      title="What changes"
      actions={
        changes.length > 0 && (
          <Group gap="xs">
            <VerbButton
              verb="catalog apply"
              given={{ file }}
              ask={['at']}
              needs={['at']}
              label="Schedule"
              title="Apply the catalogue later"
            />
            <VerbButton
              verb="catalog apply"
              given={{ file }}
              ask={[]}
              label="Apply"
              title="Apply the catalogue"
              variant="filled"
            />
          </Group>
        )
      }
    >
      <Stack role="status">
        {warnings.length > 0 && (
          <Alert color="yellow" title="Look at this first">
            <ul className="warnings">
              {warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          </Alert>
        )}
        {changes.length === 0 && <Text fz="sm">Nothing: this file is in force already.</Text>}
        {changes.map((change) => (
          <ChangeView key={`${change.kind} ${change.id}`} change={change} />
        ))}
      </Stack>
    </Card>
  );
}

const FIELDS: readonly Column<Change['fields'][number]>[] = [
  { name: inEnglish('Field'), cell: ({ field }) => field.replaceAll('_', ' ') },
  { name: inEnglish('Before'), cell: ({ before }) => before ?? '–' },
  { name: inEnglish('After'), cell: ({ after }) => after ?? '–' },
];

function ChangeView({ change: { kind, id, change, fields } }: { change: Change }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <State state={change} />
        <Text fz="sm" fw={600}>
          {kind === 'catalog' ? id : `${kind} ${id}`}
        </Text>
      </Group>
      {fields.length > 0 && (
        <RecordTable
          label={`What changes of ${kind} ${id}`}
          columns={FIELDS}
          rows={fields}
          keyOf={({ field }) => field}
        />
      )}
    </Stack>
  );
}
