import { inEnglish } from '@farebox/ui/language';
import { Card, Facts } from '@farebox/ui/record-table';
import { useRecordTitle } from '@farebox/ui/record-title';
import { Loaded, PageHead } from '@farebox/ui/states';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { readQuery } from '../api';
import { Cell, State } from '../parts/cell';
import { VerbButton } from '../parts/verb-button';
import { fieldsOfRows, nameOfField, type Row } from '../row-fields';

export function Page() {
  const { review } = useParams({ from: '/reviews/$review' });
  const found = useQuery(readQuery<Row>('review show', { review }));
  return <Loaded query={found}>{(shown) => <Review review={review} shown={shown} />}</Loaded>;
}

function Review({ review, shown }: { review: string; shown: Row }) {
  useRecordTitle(review);
  const reason = String(shown['reason']).replaceAll('_', ' ');
  const proposal = shown['proposed_resolution'];
  const fields = fieldsOfRows([shown], ['reason', 'state', 'proposed_resolution']);
  return (
    <>
      <PageHead
        title={reason.charAt(0).toUpperCase() + reason.slice(1)}
        lead={<State state={String(shown['state'])} />}
        back={<Anchor renderRoot={(props) => <Link to="/reviews" {...props} />}>Reviews</Anchor>}
      >
        {shown['state'] === 'open' && (
          <>
            <VerbButton
              verb="review resolve"
              given={{ review, charge: true }}
              ask={['note']}
              label="Charge"
              title="Charge what is reserved"
            />
            <VerbButton
              verb="review resolve"
              given={{ review, waive: true }}
              ask={['note']}
              label="Waive"
              title="Give back what is reserved"
            />
          </>
        )}
      </PageHead>
      <Card title="The facts" {...(typeof proposal === 'string' && { note: `Proposed: ${proposal}.` })}>
        <Facts
          facts={fields.map((field) => [
            inEnglish(nameOfField(field)),
            <Cell key={field} field={field} row={shown} />,
          ])}
        />
      </Card>
    </>
  );
}
