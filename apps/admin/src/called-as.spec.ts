import { asCalled, readCalledAs } from './called-as';
import { runAdmin } from './program';

const npm = readCalledAs({ npm_lifecycle_event: 'admin' });

it.each([
  ['More: admin log --limit 3 --after op_1', 'More: npm run admin -- log --limit 3 --after op_1'],
  ['1 entry changes: admin catalog apply c.yaml', '1 entry changes: npm run admin -- catalog apply c.yaml'],
  ['Examples:\n  admin log\n  admin status', 'Examples:\n  npm run admin -- log\n  npm run admin -- status'],
  ['the admin command', 'the admin command'],
  ['{"text":"x: admin log"}', '{"text":"x: admin log"}'],
])('a command in a text can be pasted: %j', (text, pasteable) => {
  expect(asCalled(text, npm)).toBe(pasteable);
  expect(asCalled(text, readCalledAs({}))).toBe(text);
});

it('help and mistakes name commands as they are called', async () => {
  let said = '';
  const write = (text: string) => (said += text);
  const surroundings = {
    environment: {},
    userName: () => 'ada',
    out: write,
    err: write,
    calledAs: 'npm run admin --',
  };
  await runAdmin(['log', '--help'], surroundings);
  expect(said).toContain('\n  npm run admin -- log\n');
  expect(said).toContain('Usage: npm run admin -- log [options]');
});
