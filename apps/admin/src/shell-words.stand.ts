/** The words of a command line as a shell would read it: quotes keep spaces, nothing is replaced. */
export function shellWords(line: string): string[] {
  return Array.from(line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g), ([word]) => word.replaceAll(/["']/g, ''));
}
