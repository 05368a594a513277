/** What the function takes that is offered to a model: few enough arguments that any model comes to their end. */
export const WEATHER = {
  type: 'object',
  properties: { day: { type: 'string', enum: ['today', 'tomorrow'] } },
  required: ['day'],
  additionalProperties: false,
};
