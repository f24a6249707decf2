import { expect, it } from 'vitest'
import {
  type ChargesServiceOptions,
  createChargesService,
  NO_CHARGES_SERVICE,
} from '../../../src/gateway/charges-service.ts'
import type { ServiceClient } from '../../../src/service/client.ts'

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
