import { MODEL_TERMS, NOON } from '../examples';
import { GATEWAY_PATHS } from '../gateway-paths';
import { json, type Operation } from '../operation';
import { model, modelList } from './schema';

const listModels = {
  id: 'listModels',
  services: ['gateway'],
  method: 'GET',
  path: GATEWAY_PATHS.listModels,
  tag: 'Chat',
  summary: 'List the models',
  description:
    'Exactly those for which a request with this key would be admitted, with their prices and limits.',
  credential: 'api_key',
  answers: [
    {
      status: 200,
      description: 'The models.',
      contents: [
        json(modelList, {
          models: {
            object: 'list',
            data: [
              { id: 'farebox-small', object: 'model', created: NOON, owned_by: 'farebox', ...MODEL_TERMS },
            ],
          },
        }),
      ],
    },
  ],
  errors: [],
} satisfies Operation;

const getModel = {
  id: 'getModel',
  services: ['gateway'],
  method: 'GET',
  path: GATEWAY_PATHS.getModel,
  tag: 'Chat',
  summary: 'Get a model',
  description:
    'One of those for which a request with this key would be admitted. A `/` in its id is written `%2F`.',
  credential: 'api_key',
  answers: [
    {
      status: 200,
      description: 'The model.',
      contents: [
        json(model, {
          a_model: {
            id: 'farebox-small',
            object: 'model',
            created: NOON,
            owned_by: 'farebox',
            ...MODEL_TERMS,
          },
        }),
      ],
    },
  ],
  errors: ['model_not_allowed', { code: 'model_not_found', param: 'model' }],
} satisfies Operation;

export const modelOperations = { listModels, getModel };
