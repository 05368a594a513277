/** Has the browser save a file. */
export function save(file: File): void {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: file.name });
  link.click();
  // The browser reads it after the click.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, KEPT_MS);
}

const KEPT_MS = 60_000;
