import { Card } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import { useQuery } from '@tanstack/react-query';
import { readQuery } from '../api';
import type { Row } from '../row-fields';
import { Lines, ReportCard } from './rows';

const pricesQuery = readQuery<{ data: readonly Row[] }>('catalog prices', { limit: '1000' });

/** Prices that some model has; the two of tokens always. */
function fieldsOf(rows: readonly Row[]): string[] {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const priced = fields.filter(
    (field) => field.includes('price') && rows.some((row) => row[field] !== null && row[field] !== undefined),
  );
  return ['model', ...priced, 'starts_at', 'version', 'applied_by'];
}

export function CataloguePrices() {
  const prices = useQuery(pricesQuery);
  return (
    <>
      <Loaded query={prices}>
        {({ data }) => {
          const current = data.filter((row) => row['ends_at'] === null);
          const former = data.filter((row) => row['ends_at'] !== null);
          return (
            <>
              <Card flush title="In force" note="In dollars per million tokens.">
                <Lines
                  rows={current}
                  label="Prices in force"
                  fields={fieldsOf(current)}
                  empty="No catalogue was applied yet."
                />
              </Card>
              <Card flush title="Former prices" note="Who changed them, and when.">
                <Lines
                  rows={former}
                  label="Former prices"
                  fields={[...fieldsOf(former), 'ends_at']}
                  empty="No price has changed yet."
                />
              </Card>
            </>
          );
        }}
      </Loaded>
      <ReportCard
        verb="cohort list"
        title="Cohorts"
        note="Their daily caps apply to accounts without their own."
        empty="There are no cohorts."
      />
    </>
  );
}
