import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { untilSettled } from './visit';

/** A line of a CSV by the names of its columns. */
export type Line = Record<string, string>;

/** The lines of a saved file by the names of its columns. No value has a comma in it. */
export async function downloadedBy(page: Page, button: Locator, fileName: RegExp): Promise<Line[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toMatch(fileName);
  await untilSettled(page);
  const [header = '', ...lines] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    expect(cells).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

export function groupBy(lines: readonly Line[], column: string): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) groups.set(line[column] ?? '', [...(groups.get(line[column] ?? '') ?? []), line]);
  return groups;
}

/** The texts of a table, row by row, without its header. */
export async function cellsOf(place: Locator): Promise<string[][]> {
  const rows = await place.getByRole('row').all();
  const texts = await Promise.all(rows.map((row) => row.getByRole('cell').allInnerTexts()));
  return texts.filter((cells) => cells.length > 0);
}
