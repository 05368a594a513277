const { existsSync, writeFileSync } = require('node:fs');

// A thread for counts that fails as its text says; anything else is one token a piece.
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
