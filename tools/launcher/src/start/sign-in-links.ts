import { type ServiceProcess } from '@farebox/local-services';
import { z } from 'zod';

const linkLine = z.object({ event: z.literal('sign_in_link'), sign_in_link: z.string() });

/** Shows in the terminal every link to sign in that the worker logs, in place of the mail that nobody sends. */
export function sayLinks(worker: ServiceProcess, say: (line: string) => void): void {
  worker.output.onLine((line) => {
    const link = readLink(line);
    if (link !== undefined) say(`A link to sign in, once, within 15 minutes: ${link}`);
  });
}

/** The link of a line of the log, where it is one of such. */
export function readLink(line: string): string | undefined {
  if (!line.includes('"sign_in_link"')) return undefined;
  try {
    return linkLine.safeParse(JSON.parse(line)).data?.sign_in_link;
  } catch {
    return undefined;
  }
}
