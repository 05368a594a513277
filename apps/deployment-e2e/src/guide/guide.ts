/** A fenced block of the operating guide. */
export interface Block {
  language: string;
  text: string;
}

/**
 * The fenced blocks of a section, up to the next heading of any level, without their indentation. Throws if there is no
 * such section.
 */
export function blocksOf(markdown: string, heading: string): Block[] {
  const [, section] = markdown.split(new RegExp(`^#+ ${heading}$`, 'm'));
  if (section === undefined) throw new Error(`The guide has no section ${heading}.`);
  const [text = ''] = section.split(/^#+ /m);
  return [...text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', lines = '']) => ({
      language,
      text: lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** The shell block of a section that has `wanted` in it. Throws if there is none, or more than one. */
export function commandsOf(markdown: string, heading: string, wanted: string): string {
  const found = blocksOf(markdown, heading).filter(
    ({ language, text }) => language === 'sh' && text.includes(wanted),
  );
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${heading} has ${String(found.length)} blocks with ${wanted}.`);
  return block.text;
}
