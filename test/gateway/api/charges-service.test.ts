import { expect, it } from 'vitest'
import {
  type ChargesServiceOptions,
  createChargesService,
  NO_CHARGES_SERVICE,
} from '../../../src/gateway/charges-service.ts'
import type { ServiceClient } from '../../../src/service/client.ts'
import { type Refusal, SERVICE_FAILURE_CODES, ServiceFailure } from '../../../src/service/failure.ts'

const CLIENT = { has: (on: string) => on === 'charges' } as unknown as ServiceClient
const LISTENER = {
  tokens: [
    { environment: 'production', token: 'retired' },
    { environment: 'production', token: 'newest' },
    { environment: 'sandbox', token: 'other' },
  ],
} as const
const OPTIONS: ChargesServiceOptions = {
  chargeNotifications: LISTENER,
  publicUrl: () => 'https://hooks.example.com/a',
  settingsOf: () => ({ resolveTokens: true }),
  clientOf: () => CLIENT,
}

it('the last token of the environment is in the gateway’s own address', () => {
  const service = createChargesService(OPTIONS)
  expect(service.problemOf('production', 'routing')).toBe(null)
  expect(service.ownAddressOf('production')).toBe('https://hooks.example.com/a/charges/newest')
  expect(service.ownAddressOf('sandbox')).toBe('https://hooks.example.com/a/charges/other')
})

it.each<[string, Partial<ChargesServiceOptions>, RegExp]>([
  ['an entry in service', { clientOf: () => null }, /no access to the service in production/],
  ['the charges interface', { clientOf: () => ({ has: () => false }) as never }, /set service.baseAddresses.charges/],
])('without %s neither metadata can be changed nor notifications be routed', (_, changes, reason) => {
  const service = createChargesService({ ...OPTIONS, ...changes })
  expect(service.problemOf('production', 'metadata')).toMatch(reason)
  expect(service.problemOf('production', 'routing')).toMatch(reason)
})

it.each<[string, Partial<ChargesServiceOptions>, RegExp]>([
  ['chargeNotifications', { chargeNotifications: null }, /add the section chargeNotifications/],
  ['publicUrl', { publicUrl: () => null }, /set chargeNotifications.publicUrl/],
  [
    'a token',
    { chargeNotifications: { tokens: [{ environment: 'sandbox', token: 'x' }] } },
    /no path token for production/,
  ],
  ['room', { publicUrl: () => `https://a.example/${'x'.repeat(230)}` }, /longer than the 255 characters/],
  ['resolveTokens', { settingsOf: () => ({ resolveTokens: false }) }, /set service.resolveTokens/],
])('without %s notifications cannot be routed, and metadata can be changed', (_, changes, reason) => {
  const service = createChargesService({ ...OPTIONS, ...changes })
  expect(service.problemOf('production', 'routing')).toMatch(reason)
  expect(service.problemOf('production', 'metadata')).toBe(null)
})

it('without a gateway neither is possible', () => {
  expect(NO_CHARGES_SERVICE.problemOf('production', 'metadata')).toMatch(/no gateway runs/)
})

const KEY = { environment: 'production', resource: 'charge', resourceId: '7' } as const

/** What an app gets where the service refuses so. */
function outcomeOf(refusal: Partial<Refusal> & { status: number }) {
  const whole = {
    name: 'validation_error',
    sentence: 'no',
    code: 3_500_034,
    property: null,
    violations: [],
    ...refusal,
  }
  const options = { environment: 'production', on: 'charges', status: refusal.status, refusal: whole } as const
  const failure = new ServiceFailure('refused', 'the service refused the call', options)
  const client = { ...CLIENT, request: () => Promise.reject(failure) } as unknown as ServiceClient
  return createChargesService({ ...OPTIONS, clientOf: () => client }).changeMetadata(KEY, { custom_id: 'a' })
}

it.each([401, 403])(
  'a refusal with %i is about the gateway’s own credentials: a failure, not a refusal of the app',
  async (status) => {
    expect(await outcomeOf({ status })).toMatchObject({ kind: 'failed', isOutcomeUnknown: false })
  },
)

it.each(SERVICE_FAILURE_CODES)(
  'a failure %s has fixed words for the app, and the runtime’s for the log',
  async (code) => {
    const message = 'the charges interface: write EPROTO 40:error:0A000410:SSL routines::alert in /etc/portaria/key.pem'
    const failure = new ServiceFailure(code, message, { environment: 'production', on: 'charges' })
    const client = { ...CLIENT, request: () => Promise.reject(failure) } as unknown as ServiceClient
    const service = createChargesService({ ...OPTIONS, clientOf: () => client })
    const outcome = await service.changeMetadata(KEY, { custom_id: 'a' })
    expect(outcome).toMatchObject({ kind: 'failed', reason: message, text: expect.stringMatching(/^the [^:/]+$/) })
  },
)

it('a refusal is passed on without the token of the gateway’s own address', async () => {
  const sentence = 'https://hooks.example.com/a/charges/newest is no address'
  expect(await outcomeOf({ status: 400, sentence, property: '/notification_url' })).toEqual({
    kind: 'refused',
    status: 400,
    code: 3_500_034,
    error: 'validation_error',
    description: { property: '/notification_url', message: 'https://hooks.example.com/a/charges/… is no address' },
  })
})
