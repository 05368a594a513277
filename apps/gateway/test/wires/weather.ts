/** The parameters of the offered function: few enough that any model completes them. */
export const WEATHER = {
  type: 'object',
  properties: { day: { type: 'string', enum: ['today', 'tomorrow'] } },
  required: ['day'],
  additionalProperties: false,
};
