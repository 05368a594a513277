import {
  checkProof,
  readProof,
  unwrap,
  type LedgerProof,
  type ProofCheck,
  type ProofProblem,
} from '@farebox/client';
import type { PlainText } from '@farebox/texts';
import { Alert, Button, FileButton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../api';
import { OutsidePage } from '../parts/outside-page';
import { toDollars } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';
import { DAY_MS, toUtcDay } from '../usage-range';

/** Checks a proof in the browser, for everybody: the service is asked for nothing but its published roots. */
export function Page() {
  const check = useMutation({ mutationFn: checkFile });
  return (
    <OutsidePage title={t('Check a proof')}>
      <Text>
        {t(
          'A proof shows that a transaction is in the ledger, unchanged since its day was closed. Choose the file of a proof, or of a receipt with one. It is checked in your browser and sent nowhere.',
        )}
      </Text>
      <FileButton accept="application/json" onChange={(file) => file && check.mutate(file)}>
        {(props) => (
          <Button {...props} loading={check.isPending}>
            {t('Choose a file')}
          </Button>
        )}
      </FileButton>
      {check.isError && (
        <Alert color="red" role="alert">
          {t('The file cannot be read.')}
        </Alert>
      )}
      {check.data && <Verdict {...check.data} />}
    </OutsidePage>
  );
}

interface Checked {
  /** Undefined if the file has no proof in it. */
  found?: { proof: LedgerProof; check: ProofCheck; isCompared: boolean };
}

async function checkFile(file: File): Promise<Checked> {
  const proof = readProof(await file.text());
  if (!proof) return {};
  const published = await readPublished(proof.root.day).catch(() => undefined);
  const check = await checkProof(proof, published && { roots: published });
  return { found: { proof, check, isCompared: published !== undefined } };
}

/** The published root of a day, if there is one. */
async function readPublished(day: string) {
  const query = { limit: 1, after: toUtcDay(Date.parse(day) + DAY_MS) };
  return (await unwrap(client.GET('/v1/ledger/roots', { params: { query } }))).data;
}

const PROBLEMS: Readonly<Record<ProofProblem, PlainText>> = {
  unknown_version: 'This page does not know the version of the entry.',
  other_transaction: 'The entry is not that of the transaction.',
  other_day: 'The entry is not of the day of the root.',
  not_in_root: 'The entry is not in the root.',
  not_signed: 'The root is not signed.',
  wrong_signature: 'The signature is wrong.',
  other_key: 'The root was signed with another key.',
  signature_not_checked: 'Your browser cannot check the signature. Try a newer one.',
  not_published: 'The root is not the one that is published here.',
  broken_chain: 'The published roots are not one chain.',
};

function Verdict({ found }: Checked) {
  if (!found)
    return (
      <Alert color="red" role="alert">
        {t('There is no proof in this file.')}
      </Alert>
    );
  const { proof, check, isCompared } = found;
  const { entry, problems } = check;
  const holds = problems.length === 0;
  return (
    <Alert
      color={holds ? 'teal' : 'red'}
      role="alert"
      title={holds ? t('The proof holds') : t('The proof does not hold')}
    >
      {problems.map((problem) => (
        <Text key={problem} size="sm">
          {t(PROBLEMS[problem])}
        </Text>
      ))}
      {entry && (
        <Text size="sm">
          {t('{amount} at {time}, and {balance} on the balance after it', {
            amount: toDollars(entry.amount),
            time: entry.createdAt,
            balance: toDollars(entry.balanceAfter),
          })}
        </Text>
      )}
      {!isCompared && (
        <Text size="sm">
          {t('The published roots could not be loaded: the root was not compared with them.')}
        </Text>
      )}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t('Public key: {key}', { key: proof.root.public_key ?? '–' })}
      </Text>
    </Alert>
  );
}
