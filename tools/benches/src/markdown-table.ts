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
