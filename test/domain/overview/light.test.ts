import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { overviewOf, unjudgedInterfaces } from '../../../src/domain/overview/light.ts'
import type { OverviewFacts } from '../../../src/domain/overview/overview.ts'
import { REASON_CODES, spanText } from '../../../src/domain/overview/reasons.ts'
import type { JudgedOutage } from '../../../src/domain/reconcile/outages.ts'
import type { Span } from '../../../src/domain/reconcile/retry-windows.ts'
import type { ServiceStatus } from '../../../src/domain/service/service-status.ts'
import type { ConsumerLag, DestinationBacklog, DestinationTotals } from '../../../src/domain/store-snapshot.ts'
import { aWatchedCertificate, NOON, quietFacts } from '../../support/builders.ts'

const DAY = 86_400_000
const quiet = quietFacts()

const overviewWith = (changes: Partial<OverviewFacts>) => overviewOf({ ...quiet, now: NOON, ...changes })
/** The light, and each reason in short. */
const lightOf = (changes: Partial<OverviewFacts>) => {
  const { light, reasons } = overviewWith(changes)
  return [light, ...reasons.map(({ severity, code, subject, value }) => [severity, code, subject, value].join(' '))]
}

const totals = (destination: string, changes: Partial<DestinationTotals> = {}): DestinationTotals => ({
  destinationId: 1,
  destination,
  owner: null,
  isPaused: false,
  circuitOpenedAt: null,
  isFailing: false,
  sending: 0,
  delivered: 0,
  failed: 0,
  exhausted: 0,
  ...changes,
})
const backlog = (destination: string, ageMs: number | null, changes: Partial<DestinationBacklog> = {}) => ({
  destination,
  owner: null,
  waiting: 3,
  blocked: 1,
  heldSubjects: 0,
  oldestSince: ageMs === null ? null : NOON - ageMs,
  ...changes,
})
const storedWith = (changes: Partial<NonNullable<OverviewFacts['stored']>>) => ({
  stored: { backlogs: [], lags: [], quarantined: 0, ...changes },
})
/** @param oldestS age of what waits; null: nothing does */
const openSince = (seconds: number, oldestS: number | null) => ({
  destinations: [totals('books', { circuitOpenedAt: NOON - seconds * 1000, isFailing: true })],
  ...storedWith({ backlogs: [backlog('books', oldestS === null ? null : oldestS * 1000)] }),
})
const certificateFor = (days: number, changes = {}) => ({
  certificates: [aWatchedCertificate({ set: 'server', where: 'server.crt', notAfter: NOON + days * DAY, ...changes })],
})
const search = { indexedThrough: 1, latest: 9, lagEvents: 8, rebuiltThrough: null, indexBytes: 1, isRebuilding: false }
const service = (changes: Partial<ServiceStatus>): ServiceStatus => ({
  environment: 'production',
  interfaces: [],
  certificate: null,
  authoritiesProblem: null,
  resolvesTokens: true,
  notificationBudget: { limit: null, used: 0 },
  waitingTokens: { count: 0, oldestAt: null },
  ...changes,
})
const anOutage = (lost: Span | null, reconciledAt: number | null = null): JudgedOutage => ({
  id: 1,
  beganAt: NOON - DAY,
  endedAt: NOON - 3_600_000,
  cause: 'down',
  raisedAt: null,
  reconciledAt,
  windows: [{ retries: 'short', lost, closesAt: NOON, retriesUntil: NOON + 60_000 }],
})
const failing = {
  interface: 'charges' as const,
  baseAddress: 'https://service.example',
  tokenUntil: null,
  lastSuccessAt: null,
  isFailing: true,
  lastFailure: null,
}

describe('the light', () => {
  it('names the times of an outage, and is no problem any more when the service was asked', () => {
    const lost = { from: NOON - DAY, through: NOON - DAY + 60_000 }
    const textOf = (one: JudgedOutage) => overviewWith({ outages: [one] }).reasons.map(({ text }) => text)
    const [day, hour] = [NOON - DAY, NOON - 3_600_000].map((time) => `${new Date(time).toISOString().slice(0, 16)}Z`)
    expect(textOf(anOutage(lost))).toEqual([
      `callbacks first sent ${day} – ${day?.replace(':00Z', ':01Z')} were given up by the service`,
    ])
    const until = `${new Date(NOON + 60_000).toISOString().slice(0, 16)}Z`
    expect(textOf(anOutage(lost, NOON))).toEqual([
      `callbacks were not accepted: ${day} – ${hour}; the service sends them again until about ${until}`,
    ])
  })

  it('says which destination or consumer a reason is about', () => {
    const owner = 'cli_a'
    const { reasons, destinations } = overviewWith({
      destinations: [
        totals('books', { destinationId: 7, isPaused: true }),
        totals('books', { destinationId: 8, owner, circuitOpenedAt: NOON, isFailing: true }),
      ],
      ...storedWith({
        backlogs: [backlog('books', null, { owner, heldSubjects: 2 })],
        lags: [{ name: 'ledger', owner: null, events: 3, oldestAt: NOON - DAY }],
      }),
    })
    expect(reasons.map(({ code, about }) => `${code} ${about}`)).toEqual([
      'circuit_open dst_8',
      'destination_paused dst_7',
      'subjects_held dst_8',
      'consumer_behind operator/ledger',
    ])
    expect(destinations.map(({ id }) => id).sort()).toEqual(['dst_7', 'dst_8'])
    expect(overviewWith({ search: { ...search, lagSeconds: 999 } }).reasons).toMatchObject([{ about: null }])
  })

  it('is green without a reason', () => {
    expect(lightOf({})).toEqual(['green'])
    expect(lightOf(certificateFor(31))).toEqual(['green'])
    expect(lightOf(certificateFor(-1, { isReplaced: true }))).toEqual(['green'])
    const destinations = { destinations: [totals('books')], ...storedWith({ backlogs: [backlog('books', 900_000)] }) }
    expect(lightOf(destinations)).toEqual(['green'])
    expect(lightOf({ search: { ...search, lagSeconds: 999, isRebuilding: true } })).toEqual(['green'])
  })

  it.each<[string, Partial<OverviewFacts>]>([
    ['red problem not_ready writer ', { checks: [{ name: 'writer', problem: 'the disk fails' }] }],
    ['red problem callbacks_failing  2', { traffic: { ...quiet.traffic, failed: 2 } }],
    [
      'red problem callbacks_refused /pix/pix 3',
      {
        refused: [
          {
            environment: 'sandbox',
            code: 'unknown_path',
            path: '/pix/pix',
            status: 404,
            count: 3,
            lastAt: NOON,
            repeatedUntil: null,
          },
        ],
      },
    ],
    ['red problem outage_lost  ', { outages: [anOutage({ from: NOON - DAY, through: NOON - DAY + 60_000 })] }],
    ['yellow warning outage  ', { outages: [anOutage(null)] }],
    [
      'red problem kind_silent bank-a/payment 7200',
      {
        kinds: [
          { kind: 'payment', environment: 'bank-a/production', lastReceivedAt: NOON - 7_200_000, isInactive: true },
        ],
      },
    ],
    ['yellow warning acknowledge_slow  1.5', { traffic: { ...quiet.traffic, acknowledge: { p50Ms: 3, p99Ms: 1500 } } }],
    [
      'red problem kind_never payment ',
      { kinds: [{ kind: 'payment', environment: 'sandbox', lastReceivedAt: null, isInactive: true }] },
    ],
    ['red problem clock_implausible  ', { clock: { isPlausible: false, problem: 'far ahead' } }],
    ['red problem writer_silent  21', { pulse: { ...quiet.pulse, silentMs: 21_000 } }],
    ['yellow warning store_unreadable  ', { stored: null }],
    ['yellow warning nodes_unheard  12', { unheard: { since: NOON - 12_000, reason: 'too many connections' } }],
    ['red problem space_out  ', { disk: { ...quiet.disk, level: 'no_callbacks' } }],
    ['yellow warning space_short  ', { disk: { ...quiet.disk, level: 'no_refusals' } }],
    ['red problem certificate_expired server: server.crt ', certificateFor(0)],
    ['red problem certificate_expiring server: server.crt 2', certificateFor(2.5)],
    ['yellow warning certificate_expiring server: server.crt 13', certificateFor(13.5)],
    [
      'yellow warning certificate_unreadable server: server.crt ',
      { certificates: [{ set: 'server', where: 'server.crt', environment: null, problem: 'no such file' }] },
    ],
    [
      'red problem trust_closed a chain of bank-a/production ',
      { unusedFiles: [{ what: 'a chain of bank-a/production', problem: 'cut off', file: '/a.pem', use: 'none' }] },
    ],
    [
      'yellow warning files_not_renewed the certificate ',
      { unusedFiles: [{ what: 'the certificate', problem: 'cut off', file: null, use: 'earlier' }] },
    ],
    ['yellow warning configuration_needs_restart  ', { configuration: { ...USED, needRestart: ['callbacks.kinds'] } }],
    ['yellow warning configuration_not_reloaded  ', { configuration: { ...USED, problem: 'a mistake' } }],
    [
      'yellow warning backlog_old books 901',
      { destinations: [totals('books')], ...storedWith({ backlogs: [backlog('books', 901_000)] }) },
    ],
    [
      'red problem backlog_old books 90000',
      { destinations: [totals('books')], ...storedWith({ backlogs: [backlog('books', 90_000_000)] }) },
    ],
    ['yellow warning circuit_open books ', openSince(901, null)],
    ['yellow warning circuit_open books ', openSince(900, 900)],
    ['red problem backlog_old books 901 problem circuit_open books ', openSince(901, 901)],
    [
      // Not yet enough failures for its circuit.
      'red problem backlog_old books 901',
      {
        destinations: [totals('books', { isFailing: true })],
        ...storedWith({ backlogs: [backlog('books', 901_000)] }),
      },
    ],
    [
      // Its age is what a pause is about.
      'yellow warning destination_paused books ',
      {
        destinations: [totals('books', { isPaused: true })],
        ...storedWith({ backlogs: [backlog('books', 901_000)] }),
      },
    ],
    [
      'yellow warning subjects_held books 4',
      { destinations: [totals('books')], ...storedWith({ backlogs: [backlog('books', null, { heldSubjects: 4 })] }) },
    ],
    [
      'yellow warning consumer_behind books 3601',
      storedWith({ lags: [{ owner: null, name: 'books', events: 1, oldestAt: NOON - 3_601_000 } as ConsumerLag] }),
    ],
    ['yellow warning quarantine_waiting  7', storedWith({ quarantined: 7 })],
    ['yellow warning service_failing charges (production) ', { service: [service({ interfaces: [failing] })] }],
    [
      'yellow warning tokens_waiting production 3601',
      { service: [service({ waitingTokens: { count: 1, oldestAt: NOON - 3_601_000 } })] },
    ],
    [
      'yellow warning tokens_many production 1001',
      { service: [service({ waitingTokens: { count: 1001, oldestAt: NOON } })] },
    ],
    ['yellow warning search_behind  61', { search: { ...search, lagSeconds: 61 } }],
    [
      'yellow warning alarm_failing team ',
      { failingChannels: [{ name: 'team', failingSince: NOON, error: { code: 'webhook_failing', words: '500' } }] },
    ],
  ])('%s', (expected, facts) => {
    const [light, ...reasons] = lightOf(facts)
    expect([light, ...reasons].join(' ')).toBe(expected)
  })

  it('has a test for every code', () => {
    const tests = readFileSync(import.meta.filename, 'utf8')
    expect(REASON_CODES.filter((code) => !tests.includes(` ${code} `))).toEqual([])
  })

  it('names problems first, and of many subjects the first five', () => {
    const { light, reasons } = overviewWith({
      ...certificateFor(-3),
      destinations: Array.from({ length: 30 }, (_, index) =>
        totals(`d${index}`, { circuitOpenedAt: NOON, isFailing: true }),
      ),
    })
    expect(light).toBe('red')
    expect(reasons.map(({ code, others }) => [code, others])).toEqual([
      ['certificate_expired', 0],
      ...[0, 0, 0, 0, 25].map((others) => ['circuit_open', others]),
    ])
    for (const { text, nextStep } of reasons) expect([text, nextStep]).not.toContain('')
  })
})

const USED = { file: '/etc/portaria.yaml', sha256: 'ab', generation: 2, needRestart: [], problem: null }

it('lists destinations by the age of their oldest pending delivery, also of one name with two owners', () => {
  const { destinations } = overviewWith({
    destinations: [
      totals('b'),
      totals('a'),
      totals('a', { owner: 'cli_0000000000', circuitOpenedAt: NOON, isFailing: true }),
    ],
    ...storedWith({ backlogs: [backlog('a', 1000), backlog('a', 5000, { owner: 'cli_0000000000', waiting: 9 })] }),
  })
  expect(destinations.map(({ name, owner, pending, oldestSeconds }) => [name, owner, pending, oldestSeconds])).toEqual([
    ['a', 'cli_0000000000', 9, 5],
    ['a', null, 3, 1],
    ['b', null, 0, null],
  ])
})

it('says until when the first lost callback is sent again, where that is known', () => {
  const textsOf = (repeatedUntil: string | null) => {
    const refused = { environment: 'bank-a/sandbox', code: 'too_large', status: 413, count: 3, lastAt: NOON } as const
    const traffic = { ...quiet.traffic, failed: 2, repeatedUntil }
    return overviewWith({ traffic, refused: [{ ...refused, path: '/a[b]', repeatedUntil }] }).reasons.map(
      ({ text, until }) => [text, until],
    )
  }
  const failed = 'callbacks of the last 5 minutes that could not be stored and were answered 503: 2'
  const lost = 'callbacks of identified callers that were refused in the last 24 hours: 3, /a[b] (413, bank-a/sandbox)'
  const at = '2026-11-27T14:00Z'
  const again = `; the first is sent again until about ${at}: count it as lost after that`
  expect(textsOf(at)).toEqual([
    [failed + again, at],
    [lost + again, at],
  ])
  expect(textsOf(null)).toEqual([
    [failed, null],
    [lost, null],
  ])
})

it('writes a span in its two largest units', () => {
  expect([0, 0.2, 59, 60, 3660, 90_061].map(spanText)).toEqual([
    '0 s',
    '200 ms',
    '59 s',
    '1 min',
    '1 h 1 min',
    '1 d 1 h',
  ])
})

it('an interface that was not called since the start cannot be judged', () => {
  const [never, called] = [
    { ...failing, isFailing: false, lastSuccessAt: null, lastFailure: null },
    { ...failing, interface: 'payment', isFailing: false, lastSuccessAt: NOON, lastFailure: null },
  ] as const
  expect(unjudgedInterfaces({ service: [service({ interfaces: [never, called] })] })).toEqual(['charges (production)'])
})
