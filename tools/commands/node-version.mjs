// Read by any version of Node, however old: no syntax younger than `import()` here or in what imports it.
// @ts-check

/**
 * Node versions that everything installed here supports: 20.19 and up, 22.12 and up, 24 and up.
 * @param {string} version
 */
function isSupported(version) {
  const parts = version.replace('v', '').split('.').map(Number);
  const major = parts[0] || 0;
  const minor = parts[1] || 0;
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major >= 24;
}

/** Ends the process with one sentence if this Node is not supported. */
export function checkNode() {
  if (isSupported(process.version)) return;
  const versions = majorVersion() > 20 ? '20.19, 22.12 or 24' : '20.19';
  console.error('Farebox needs Node ' + versions + ' or newer; this is ' + process.version + '.');
  process.exit(1);
}

/** Reports in one line, on standard error, that this Node works but gets no more fixes. */
export function warnOfOldNode() {
  if (majorVersion() !== 20) return;
  console.error('Node 20 is past its end of life; it still works, but use 24.');
}

function majorVersion() {
  return Number(process.version.replace('v', '').split('.')[0]);
}
