import type { Texts } from './text';

/** A browser and its system, which the service names `Firefox on Linux`, in the language of a reader. */
export function nameBrowserIn({ t }: Pick<Texts, 't'>, browser: string): string {
  const [program = '', system] = browser.split(' on ');
  return system === undefined ? program : t('{program} on {system}', { program, system });
}
