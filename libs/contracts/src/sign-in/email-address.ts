import { z } from 'zod';

/** Source: RFC 5321, section 4.5.3.1, with the two brackets around it taken off. */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;
const MESSAGE = 'must be an e-mail address';

/**
 * An e-mail address, read into the form in which it is stored and compared: without the white space around it, in
 * lower case. ASCII alone: a domain of other letters is written as `xn--…`. Nothing that a mail could take for a second
 * address or a header gets through.
 */
export const emailAddress = z
  .string(MESSAGE)
  .max(2 * LONGEST_ADDRESS, MESSAGE)
  .trim()
  .toLowerCase()
  .pipe(
    z
      .email(MESSAGE)
      .max(LONGEST_ADDRESS, MESSAGE)
      .refine((address) => address.lastIndexOf('@') <= LONGEST_LOCAL_PART, MESSAGE),
  );
