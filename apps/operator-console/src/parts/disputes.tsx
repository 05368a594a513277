import { IconGavel } from '@tabler/icons-react';
import type { Given } from '../api';
import { VerbList } from './rows';
import { VerbButton } from './verb-button';

/** Payments that the bank of the payer has taken back. */
export function Disputes({ given, empty }: { given: Given; empty: string }) {
  return (
    <VerbList
      verb="dispute list"
      given={given}
      title="Disputes"
      note="Payments that the bank of the payer has taken back. Stripe reports those of cards by itself."
      icon={IconGavel}
      fields={['opened_at', 'email', 'payment', 'reference', 'amount', 'owed', 'state', 'closed_at']}
      head={<VerbButton size="xs" verb="dispute open" label="Open a dispute" />}
      actions={(row) =>
        row['state'] === 'open' && (
          <>
            {row['opened_by'] !== 'stripe' && <Close dispute={row['dispute_id']} won label="Won" />}
            <Close dispute={row['dispute_id']} lost label="Lost" />
          </>
        )
      }
      empty={empty}
    />
  );
}

function Close({ dispute, label, ...end }: { dispute: unknown; label: string; won?: true; lost?: true }) {
  return (
    <VerbButton
      size="compact-sm"
      verb="dispute close"
      given={{ dispute: String(dispute), ...end }}
      ask={[]}
      label={label}
      title="Close the dispute"
    />
  );
}
