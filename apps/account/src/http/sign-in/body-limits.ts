/** Of what arrives before somebody has signed in. */
export const BODY_LIMITS = { maxBytes: 4 * 1024, maxDepth: 4, maxValues: 64 };
