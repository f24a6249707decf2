import type { Operation } from '../http/endpoint.ts'
import { JSON_TYPE } from '../http/json-body.ts'
import { idBehind, limit } from '../http/query.ts'
import {
  destinationPageSchema,
  destinationSchema,
  destinationStatsSchema,
  destinationWithSecretSchema,
  secretsSchema,
  testAnswerSchema,
} from './schema.ts'
import { destinationPatchSchema, newDestinationSchema, secretRotationSchema } from './settings.ts'

export const destinationQuery = { after: idBehind('dst'), limit }

/** RFC 7396. */
export const PATCH_TYPES = ['application/merge-patch+json', JSON_TYPE]

const common = { tag: 'Destinations', access: 'scopes', errors: 'problem' } as const
const one = {
  ...common,
  path: '/v1/destinations/:id',
  segments: { id: 'The destination: its name, or an id such as dst_1.' },
}
const shown = { description: 'The destination.', schema: destinationSchema }
const FORBIDDEN = { description: 'Its URL leads where nothing may be sent to (forwarding.allowedNetworks).' }
const CONFIGURED = { description: 'It is one of the configuration file, or the name is taken.' }

/** @param kinds those of the gateway, which are configured */
export function destinationOperations(kinds: readonly string[]): readonly Operation[] {
  return [
    {
      ...common,
      ...{ id: 'listDestinations', method: 'get', path: '/v1/destinations' },
      summary: 'List destinations',
      description: 'Oldest first. A client sees its own, or with operations.read all of them.',
      query: destinationQuery,
      answers: { 200: { description: 'A page of destinations.', schema: destinationPageSchema } },
    },
    {
      ...common,
      ...{ id: 'createDestination', method: 'post', path: '/v1/destinations' },
      summary: 'Make a destination',
      description: 'It gets the events that are stored from now on. Only `url` is needed.',
      body: {
        schema: newDestinationSchema(kinds),
        ...{ types: [JSON_TYPE], isRequired: true },
        example: { url: 'https://books.example/hooks/payments', name: 'books' },
      },
      answers: {
        201: {
          description: 'It was made. Keep its secret: it verifies the signatures of deliveries.',
          schema: destinationWithSecretSchema,
          headers: { location: { description: 'Where it is shown.', schema: { type: 'string' } } },
        },
        409: { description: 'The name is taken, or there are as many as may be.' },
        422: FORBIDDEN,
      },
    },
    {
      ...one,
      ...{ id: 'showDestination', method: 'get' },
      summary: 'Show a destination',
      answers: { 200: shown },
    },
    {
      ...one,
      ...{ id: 'changeDestination', method: 'patch' },
      summary: 'Change a destination',
      description:
        'A JSON Merge Patch (RFC 7396): what is left out stays as it is, null makes a setting what it is by itself.',
      body: {
        schema: destinationPatchSchema(kinds),
        ...{ types: PATCH_TYPES, isRequired: true },
        example: { timeoutMs: 5000, headers: { 'x-old': null } },
      },
      answers: { 200: shown, 409: CONFIGURED, 422: FORBIDDEN },
    },
    {
      ...one,
      ...{ id: 'deleteDestination', method: 'delete' },
      summary: 'Remove a destination',
      description: 'What it is still owed is canceled.',
      answers: { 204: { description: 'It is gone.' }, 409: { description: 'It is one of the configuration file.' } },
    },
    {
      ...one,
      ...{ id: 'showDestinationStats', method: 'get', path: '/v1/destinations/:id/stats' },
      summary: 'Show how sending to a destination goes',
      answers: { 200: { description: 'Since the gateway started.', schema: destinationStatsSchema } },
    },
    {
      ...one,
      ...{ id: 'showDestinationSecret', method: 'get', path: '/v1/destinations/:id/secret' },
      summary: "Show a destination's secrets",
      description:
        'They sign in the name of the gateway. A client reads those of its own destinations; those of others need operations.write.',
      answers: { 200: { description: 'Its secrets.', schema: secretsSchema } },
    },
    {
      ...one,
      ...{ id: 'rotateDestinationSecret', method: 'post', path: '/v1/destinations/:id/rotate-secret' },
      summary: 'Give a destination another secret',
      description:
        'The one before signs beside it until the overlap ends. A client does this to its own destinations, with operations.write to all.',
      body: {
        schema: secretRotationSchema,
        ...{ types: [JSON_TYPE], isRequired: false },
        example: { overlap: '24h' },
      },
      answers: {
        200: { description: 'The destination with its new secret.', schema: destinationWithSecretSchema },
        409: { description: 'It is one of the configuration file, or signs with that secret already.' },
      },
    },
    {
      ...one,
      ...{ id: 'pauseDestination', method: 'post', path: '/v1/destinations/:id/pause' },
      summary: 'Pause a destination',
      description: 'What it is owed waits, and uses no step of its schedule.',
      answers: { 200: shown, 409: { description: 'It has left the configuration file.' } },
    },
    {
      ...one,
      ...{ id: 'resumeDestination', method: 'post', path: '/v1/destinations/:id/resume' },
      summary: 'Resume a destination',
      answers: {
        200: shown,
        409: { description: 'It has left the configuration file, or the client certificate for it cannot be shown.' },
      },
    },
    {
      ...one,
      ...{ id: 'testDestination', method: 'post', path: '/v1/destinations/:id/test' },
      summary: 'Send a test event now',
      description: 'Signed like any other. It is not stored, and its outcome changes nothing.',
      answers: { 200: { description: 'What came of it.', schema: testAnswerSchema } },
    },
  ]
}
