import { expect, it } from 'vitest'
import { ChargesApiError } from '../../../src/api/service-api/charges-problem.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { ask, sharedApi } from '../api.ts'

const shared = sharedApi()

const JSON_TYPE = { 'content-type': 'application/json' }

it.each([
  ['without a token', '/charges/v1/charge/1/metadata', { method: 'PUT', authorization: null }, 401, 3_500_008],
  ['with a token of another', '/charges/v1/x', { authorization: 'Bearer x.y.z' }, 401, 3_500_008],
  ['to an unknown path', '/charges/v1/x', {}, 404, 3_500_010],
  ['to the base address', '/charges', {}, 404, 3_500_010],
  ['with another method', '/charges/v1/authorize', {}, 405, 3_500_034],
  ['to a path that is not UTF-8', '/charges/%ff', {}, 404, 3_500_010],
])('a request %s is answered as the charges interface does', async (_, path, options, status, code) => {
  const answer = await ask(await shared(), path, options)
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    { code, error: expect.any(String), error_description: expect.any(String) },
  ])
})

it('a token request fails there in the format of RFC 6749, as at every token endpoint', async () => {
  const asked = { method: 'POST', headers: JSON_TYPE, body: '{"grant_type":"client_credentials"}', authorization: null }
  const answer = await ask(await shared(), '/charges/v1/authorize', asked)
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([401, { error: 'invalid_client' }])
})

it.each([
  [400, 'validation_error', 3_500_034],
  [401, 'unauthorized', 3_500_008],
  [403, 'unauthorized', 3_500_008],
  [404, 'not_found', 3_500_010],
  [409, 'validation_error', 3_500_034],
  [413, 'validation_error', 3_500_034],
  [429, 'validation_error', 3_500_034],
  [500, 'internal', 3_500_000],
  [503, 'internal', 3_500_000],
])('status %i has the name %s and the code %i unless the service gave others', (status, error, code) => {
  expect(new ChargesApiError(status, 'text')).toMatchObject({ error, code, message: 'text' })
  const given = { code: 3_500_043, error: 'invalid_status', cause: new PortariaError('conflict', 'no') }
  expect(new ChargesApiError(status, { property: '/a', message: 'is wrong' }, given)).toMatchObject({
    error: 'invalid_status',
    code: 3_500_043,
    message: '/a is wrong',
  })
})
