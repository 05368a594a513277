import { describeDatabaseError, NotMigratedError } from './assert-migrated';

const withCode = (code: string): Error => Object.assign(new Error('low-level text'), { code });

describe('the message to the operator about a database error', () => {
  it('is that the database cannot be reached, even if that is only the cause', () => {
    for (const error of [withCode('ECONNREFUSED'), new Error('lost', { cause: withCode('ECONNREFUSED') })]) {
      expect(describeDatabaseError(error)).toBe(
        'The database of DATABASE_URL cannot be reached (ECONNREFUSED).',
      );
    }
  });

  it('names what is missing in a database that is not migrated', () => {
    const error = new NotMigratedError('The migration init is missing.');
    expect(describeDatabaseError(error)).toBe(error.message);
  });

  it('is missing if the error is about something else', () => {
    expect(describeDatabaseError(withCode('EADDRINUSE'))).toBeUndefined();
  });
});
