// Read by any version of Node, however old: no syntax younger than `import()` here or in what imports it.

/** Node versions that everything installed here supports: 20.19 and up, 22.12 and up, 24 and up. */
export function isSupported(version) {
  const parts = version.replace('v', '').split('.').map(Number);
  const major = parts[0];
  const minor = parts[1];
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major >= 24;
}

/** Ends the process with one sentence where this Node is not supported. */
export function requireNode() {
  if (isSupported(process.version)) return;
  const versions =
    Number(process.version.replace('v', '').split('.')[0]) > 20 ? '20.19, 22.12 or 24' : '20.19';
  console.error('Farebox needs Node ' + versions + ' or newer; this is ' + process.version + '.');
  process.exit(1);
}
