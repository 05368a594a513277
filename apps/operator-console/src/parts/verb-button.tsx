import { Button, type ButtonProps } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Given, Verb } from '../api';
import { useVerb } from '../rights';

const VerbDialog = lazy(() => import('./verb-dialog').then((file) => ({ default: file.VerbDialog })));

interface VerbButtonProps extends ButtonProps {
  verb: string;
  /** Parameters that are known already, and not asked for. */
  given?: Given;
  /** The parameters to ask for, if not all others. */
  ask?: readonly string[];
  /** Parameters that the verb can do without, and this button cannot. */
  needs?: readonly string[];
  /** The initial values of the fields. */
  start?: Readonly<Record<string, string>>;
  label: string;
  /** The heading of the dialog. */
  title?: string;
}

/** A button for something that an operator may do; nothing for others. */
export function VerbButton({ verb: words, ...rest }: VerbButtonProps) {
  const verb = useVerb(words);
  return verb ? <Offered verb={verb} {...rest} /> : null;
}

function Offered({
  verb,
  given = {},
  ask,
  needs,
  start,
  label,
  title = label,
  ...rest
}: Omit<VerbButtonProps, 'verb'> & { verb: Verb }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" {...rest} onClick={() => setOpen(true)} data-verb={verb.verb}>
        {label}
      </Button>
      {isOpen && (
        <Suspense>
          <VerbDialog
            verb={verb}
            given={given}
            ask={ask}
            needs={needs}
            start={start}
            title={title}
            button={label}
            close={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
