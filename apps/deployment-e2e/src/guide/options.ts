import { parseArgs } from 'node:util';

export interface GuideOptions {
  /** An empty folder or none, for the checkout that the guide is followed in; it stays if it was named. */
  folder: string | undefined;
  /** Only operations and faults with this in their names. */
  only: string;
  /** Leaves the containers running. */
  keeps: boolean;
  /** Shows the output of all commands. */
  isVerbose: boolean;
}

/** The arguments are invalid. The message is for a person. */
export class OptionsError extends Error {}

export const HELP = `npm run guide-test                      follow the operating guide on Docker, under load (about 40 minutes)
npm run guide-test -- --only redis      only its operations and faults with this in their names

  --only <text>     part of the name of an operation or fault
  --folder <path>   follow it in a checkout there, which stays
  --keep            leave the containers running
  --verbose         show the output of all commands

It needs Docker with Compose, and runs beside a deployment of yours: as the project farebox-guide-test, on ports 18080,
18443 and 18083, in the subnet 172.30.84.0/24. The commands are those of docs/operate/operating.md, from the first
deployment through TLS to upgrades, rotations, backups and a restore; then services are killed and frozen. Meanwhile
customers send 25 requests a second and read ten streams. It prints what they noticed. It fails if a planned operation
failed a request, or if the books are wrong at the end. It works on the last commit, not on what is uncommitted.`;

/** Throws `OptionsError`. */
export function readOptions(args: string[]): GuideOptions | 'help' {
  try {
    const { values } = parseArgs({
      args,
      options: {
        folder: { type: 'string' },
        only: { type: 'string', default: '' },
        keep: { type: 'boolean', default: false },
        verbose: { type: 'boolean', short: 'v', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    return { folder: values.folder, only: values.only, keeps: values.keep, isVerbose: values.verbose };
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}
