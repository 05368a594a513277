export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The value of an option that takes a whole number above zero. Throws with one sentence if it is none. */
export function positiveOption(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number above zero.`);
  return value;
}

/** The middle one; the higher of two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A table that can be read as it is, and is Markdown: the first column to the left, the others to the right. */
export function toMarkdownTable(headers: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = headers.map((header, column) =>
    Math.max(header.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const toLine = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [toLine(headers), `| ${rule.join(' | ')} |`, ...lines.map(toLine)].join('\n');
}
