import { Card } from '@farebox/ui/record-table';
import { Loaded } from '@farebox/ui/states';
import { useQuery } from '@tanstack/react-query';
import { Lines, ReportCard } from './rows';
import { statusQuery } from './service-state';

/** The upstreams, how well they answer, and the gateways. */
export function ServiceUpstreams() {
  const status = useQuery(statusQuery);
  return (
    <>
      <Loaded query={status}>
        {({ upstreams, gateways }) => (
          <>
            <Card flush title="Upstreams" note="Of the last 15 minutes.">
              <Lines rows={upstreams} label="Upstreams" lead="state" empty="The catalogue has none." />
            </Card>
            <Card flush title="Gateways">
              <Lines rows={gateways} label="Gateways" empty="None has a lease." />
            </Card>
          </>
        )}
      </Loaded>
      <ReportCard
        verb="report upstreams"
        given={{ since: '7d' }}
        title="Routes"
        note="Charged requests of the last 7 days, UTC."
        hidden={['client_gone', 'p95_first_token_ms']}
        empty="No request was charged."
      />
      <ReportCard
        verb="margin"
        given={{ from: '7d', group_by: 'upstream' }}
        title="Margin by upstream"
        note="Of the last 7 days, UTC."
        empty="Nothing was charged."
      />
    </>
  );
}
