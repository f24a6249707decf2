import { expect, it } from 'vitest'
import {
  bySoonest,
  daysLeft,
  type ExpiryWarning,
  expiryStateOf,
  type InventoryCertificate,
  isReplaced,
  judgeExpiry,
  type Shown,
  type UnreadableCertificateFile,
  warningDue,
  warningsDue,
} from '../../src/domain/expiry.ts'
import type { Realm } from '../../src/domain/realm.ts'
import { aWatchedCertificate } from '../support/builders.ts'

const DAY = 86_400_000
const NOT_AFTER = Date.UTC(2027, 0, 31)

it.each([
  [365, 45, null],
  [365, 30.01, null],
  [365, 30, 30],
  [365, 14.5, 30],
  [365, 14, 14],
  [365, 7, 7],
  [365, 3, 3],
  [365, 1.5, 3],
  [365, 1, 1],
  [365, 0.01, 1],
  [365, 0, 0],
  [365, -200, 0],
  [200, 30.01, null],
  [100, 30, 30],
  [90, 29.5, null],
  [90, 29, 29],
  [47, 28, null],
  [47, 14.6, 15],
  [6, 3, null],
  [6, 1.7, 2],
  [1, 0.3, null],
  [1, 0.29, 1],
])('of a certificate for %d days, %d days before its end the warning is that of %s', (lifetime, days, warning) => {
  const validity = { notBefore: NOT_AFTER - lifetime * DAY, notAfter: NOT_AFTER }
  expect(warningDue(validity, NOT_AFTER - days * DAY)).toBe(warning)
})

it.each([
  [365, 31, 'valid'],
  [365, 29, 'warning'],
  [365, 6.9, 'problem'],
  [47, 28, 'valid'],
  [47, 14, 'warning'],
  [47, 6.9, 'problem'],
  [6, 3, 'valid'],
  [6, 1.5, 'warning'],
  [6, 0.9, 'problem'],
  [6, 0, 'expired'],
  [null, 31, 'valid'],
  [null, 29, 'warning'],
  [null, 6.9, 'problem'],
])('of a certificate for %s days, %d days left are judged as %s', (lifetime, days, judgement) => {
  const notBefore = lifetime === null ? null : NOT_AFTER - lifetime * DAY
  expect(judgeExpiry({ notBefore, notAfter: NOT_AFTER }, NOT_AFTER - days * DAY)).toBe(judgement)
})

it('counts whole days, and below zero what has expired', () => {
  expect([30, 29.9, 0.5, 0, -0.5].map((days) => daysLeft(NOT_AFTER, NOT_AFTER - days * DAY))).toEqual([
    30, 29, 0, 0, -1,
  ])
})

const server = (changes: Partial<InventoryCertificate> = {}) =>
  aWatchedCertificate({ notBefore: NOT_AFTER - 365 * DAY, notAfter: NOT_AFTER, ...changes })
const unreadable: UnreadableCertificateFile = { set: 'server', where: 'a.crt', environment: null, problem: 'is empty' }

it.each([
  [server(), 31, 'valid'],
  [server(), 30, 'valid'],
  [server(), 29.9, 'expiring'],
  [server(), 0, 'expired'],
  [server({ isReplaced: true }), 0, 'replaced'],
  [unreadable, 31, 'unreadable'],
])('%o, %d days before the end, is %s', (watched, days, state) => {
  expect(expiryStateOf(watched, NOT_AFTER - days * DAY, 30)).toBe(state)
})

it('without a number of days, the lifetime says what is expiring', () => {
  const short = server({ notBefore: NOT_AFTER - 47 * DAY })
  const statesAt = (days: number) => [server(), short].map((one) => expiryStateOf(one, NOT_AFTER - days * DAY, null))
  expect([statesAt(28), statesAt(14)]).toEqual([
    ['expiring', 'valid'],
    ['expiring', 'expiring'],
  ])
})

it('what no one can read comes first, then what ends first', () => {
  const later = server({ notAfter: NOT_AFTER + 1 })
  expect([later, server(), unreadable].sort(bySoonest)).toEqual([unreadable, server(), later])
})

it('a certificate is replaced when a later one was shown a day after it, or at all since it has expired', () => {
  const old = { fingerprint: 'a', notAfter: NOT_AFTER, lastSeenAt: NOT_AFTER - 3 * DAY }
  const renewed = (lastSeenAt: number) => [old, { fingerprint: 'b', notAfter: NOT_AFTER + DAY, lastSeenAt }]
  const before = NOT_AFTER - DAY
  expect(isReplaced(old, [old], before)).toBe(false)
  expect(isReplaced(old, renewed(NOT_AFTER - 2 * DAY - 1), before)).toBe(false)
  expect(isReplaced(old, renewed(NOT_AFTER - 2 * DAY), before)).toBe(true)
  expect(isReplaced(old, renewed(NOT_AFTER - 3 * DAY), NOT_AFTER)).toBe(true)
  expect(isReplaced(old, renewed(NOT_AFTER - 3 * DAY - 1), NOT_AFTER)).toBe(false)
  const [, newer] = renewed(before)
  expect(isReplaced(newer as Shown, renewed(before), before)).toBe(false)
})

it('a warning names all places of a certificate at once, and belongs to sandbox only where all of them do', () => {
  const now = NOT_AFTER - 6.5 * DAY
  const places = ['a', 'b', 'c', 'd'].map((where) => server({ set: 'service-chain', where, environment: 'sandbox' }))
  const [warning, ...others] = warningsDue([unreadable, server({ isReplaced: true }), ...places], now)
  expect(others).toEqual([])
  const facts = {
    set: 'service-chain',
    where: 'a, b, c and 1 more',
    subject: 'CN=gateway',
    issuer: 'CN=authority',
    fingerprint: 'ab'.repeat(32),
    daysLeft: 6,
    warning: 7,
  }
  const { event, ...rest } = warning as ExpiryWarning
  expect(rest).toEqual({ ...facts, notAfter: NOT_AFTER })
  expect(event).toMatchObject({
    environment: 'sandbox',
    madeAt: now,
    subject: 'ab'.repeat(32),
    status: 'expiring',
  })
  expect(JSON.parse(event.body)).toEqual({
    type: 'certificate.expiring',
    ...facts,
    notAfter: '2027-01-31T00:00:00.000Z',
  })
  const [mixed] = warningsDue([...places, server({ set: 'service-chain', environment: 'production' })], NOT_AFTER)
  expect(mixed?.event).toMatchObject({ environment: 'production', status: 'expired' })
})

it.each<[(Realm | null)[], Realm]>([
  [['bank-a/sandbox', 'bank-a/sandbox'], 'bank-a/sandbox'],
  [['bank-a/sandbox', 'bank-a/production'], 'bank-a/production'],
  [['bank-a/sandbox', 'bank-b/sandbox'], 'sandbox'],
  [['bank-a/sandbox', 'sandbox'], 'sandbox'],
  [['bank-a/sandbox', null], 'production'],
  [['bank-a/production', null], 'production'],
  [[null], 'production'],
])('a warning about a certificate in places of %j belongs to %s', (realms, expected) => {
  const places = realms.map((environment) => server({ environment }))
  expect(warningsDue(places, NOT_AFTER).map(({ event }) => event.environment)).toEqual([expected])
})
