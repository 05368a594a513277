import { Anchor, Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { invoiceQuery, type Invoice } from '../api';
import { toCount, toDay, toDollars, toMonth } from '@farebox/ui/format';
import { partyFacts } from '../parts/document-parties';
import { Prices } from '../parts/line-prices';
import { Card, type Column, Facts, RecordTable } from '@farebox/ui/record-table';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { TOKEN_KINDS } from '../token-kinds';
import { t } from '@farebox/ui/language';

type Line = Invoice['lines'][number];

/** A column for a kind of tokens only if a line has any. */
const columnsFor = (lines: readonly Line[]): readonly Column<Line>[] => [
  { name: 'Item', cell: ({ type, model }) => (type === 'refund' ? t('Refund, {model}', { model }) : model) },
  { name: 'Requests', isNumber: true, cell: ({ requests }) => toCount(requests) },
  { name: 'Prompt tokens', isNumber: true, cell: ({ prompt_tokens }) => toCount(prompt_tokens) },
  { name: 'Completion tokens', isNumber: true, cell: ({ completion_tokens }) => toCount(completion_tokens) },
  ...TOKEN_KINDS.filter(({ column }) => lines.some((line) => line[column] > 0)).map(
    ({ name, column }): Column<Line> => ({
      name,
      isNumber: true,
      cell: (line) => toCount(line[column]),
    }),
  ),
  { name: 'Price per 1M tokens', cell: ({ prices }) => <Prices prices={prices} /> },
  { name: 'Amount', isNumber: true, amount: ({ amount }) => amount },
];

export function Page() {
  const { number } = useParams({ from: '/shell/billing/invoices/$number' });
  const invoice = useQuery(invoiceQuery(number));
  useRecordTitle(invoice.data?.number);
  return (
    <>
      <PageHead
        title={t('Invoice {number}', { number })}
        back={
          <Anchor renderRoot={(props) => <Link to="/billing" search={{ tab: 'invoices' }} {...props} />}>
            {t('Invoices')}
          </Anchor>
        }
      >
        {invoice.data && (
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            href={`/v1/billing/invoices/${encodeURIComponent(number)}?format=pdf`}
          >
            {t('Download PDF')}
          </Button>
        )}
      </PageHead>
      <Loaded query={invoice}>
        {({ customer, seller, lines, month, issued_at, total, total_rounded, top_ups }) => (
          <Stack gap="lg">
            <Card title={t('Summary')}>
              <Facts
                facts={[
                  ['Month', toMonth(month)],
                  ['Issued', toDay(issued_at)],
                  ...partyFacts(customer, seller),
                  [
                    'Total',
                    <Text key="total" fw={600} className="figures">
                      {toDollars(total_rounded)}
                    </Text>,
                  ],
                  ['Exact sum of the lines', toDollars(total)],
                  [
                    'Payment',
                    t('Paid from the balance. {amount} was added to it in that month.', {
                      amount: toDollars(top_ups),
                    }),
                  ],
                ]}
              />
            </Card>
            <Card flush title={t('Usage')}>
              <RecordTable
                label={t('Lines of the invoice')}
                columns={columnsFor(lines)}
                rows={lines}
                keyOf={({ type, model }) => `${type} ${model}`}
              />
            </Card>
          </Stack>
        )}
      </Loaded>
    </>
  );
}
