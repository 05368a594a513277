const { existsSync, writeFileSync } = require('node:fs');

// A counting thread that fails as its text says; otherwise each piece is one token.
module.exports = async function failingCount({ pieces }) {
  const [[text]] = pieces;
  const [word, marker] = text.split(' ');
  if (word === 'exit') process.exit(1);
  if (word === 'slow') await new Promise(() => setInterval(() => undefined, 1_000));
  if (word === 'once' && !existsSync(marker)) {
    writeFileSync(marker, '');
    process.exit(1);
  }
  return { tokens: pieces.length, pieces: pieces.length };
};
