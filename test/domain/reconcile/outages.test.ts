import { describe, expect, it } from 'vitest'
import {
  downSince,
  type GatewayRun,
  isToRaise,
  mayBeLost,
  type Outage,
  type OutageRules,
  openOutages,
  outageEvent,
  windowLeftMs,
} from '../../../src/domain/reconcile/outages.ts'
import { NOON } from '../../support/builders.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const GIVES_UP = 325 * MINUTE
const rules: OutageRules = { retries: ['short'], isReconciled: true }

const aRun = (changes: Partial<GatewayRun> = {}): GatewayRun => ({
  id: 1,
  node: '',
  startedAt: NOON - HOUR,
  seenAt: NOON,
  endedAt: null,
  ...changes,
})
const anOutage = (changes: Partial<Outage> = {}): Outage => ({
  id: 1,
  beganAt: NOON,
  endedAt: NOON + HOUR,
  cause: 'down',
  raisedAt: null,
  reconciledAt: null,
  ...changes,
})
const openAt = (now: number, ...outages: Outage[]) => openOutages(outages, rules, now)

describe('the time in which no gateway ran', () => {
  it.each<[string, GatewayRun[], number | null]>([
    ['none ran before', [], null],
    ['a minute and a half after the last sign of life', [aRun({ seenAt: NOON - 90_000 })], null],
    ['more than that', [aRun({ seenAt: NOON - 90_001 })], NOON - 90_001],
    ['a stop of seconds', [aRun({ seenAt: NOON - HOUR, endedAt: NOON - 5000 })], null],
    ['a stop of an hour', [aRun({ seenAt: NOON - 2 * HOUR, endedAt: NOON - HOUR })], NOON - HOUR],
    ['another node lives', [aRun({ id: 2, seenAt: NOON - HOUR }), aRun({ node: 'b', seenAt: NOON - 30_000 })], null],
    ['the latest of all counts', [aRun({ seenAt: NOON - 3 * HOUR }), aRun({ seenAt: NOON - HOUR })], NOON - HOUR],
    ['the clock was set back', [aRun({ seenAt: NOON + 1 }), aRun({ seenAt: NOON - HOUR })], null],
    [
      'the clock was wrong in an earlier run',
      [aRun({ seenAt: NOON - HOUR }), aRun({ seenAt: NOON + 9 * HOUR })],
      NOON - HOUR,
    ],
  ])('%s', (_, runs, since) => expect(downSince(runs, NOON)).toBe(since))
})

describe('an outage', () => {
  it('says what is lost, and until when the service sends again', () => {
    const [short] = openAt(NOON + 2 * HOUR, anOutage())
    const windows = [{ retries: 'short', lost: null, closesAt: NOON + GIVES_UP, retriesUntil: NOON + HOUR + GIVES_UP }]
    expect(short?.windows).toEqual(windows)
    const [long] = openAt(NOON + 10 * HOUR, anOutage({ endedAt: NOON + 10 * HOUR }))
    expect(long?.windows[0]?.lost).toEqual({ from: NOON, through: NOON + 10 * HOUR - GIVES_UP })
  })

  it('that goes on loses until now', () => {
    const goesOn = anOutage({ endedAt: null })
    expect(openAt(NOON + GIVES_UP - 1, goesOn)[0]?.windows[0]?.lost).toBeNull()
    expect(openAt(NOON + GIVES_UP + 5, goesOn)[0]?.windows[0]?.lost).toEqual({ from: NOON, through: NOON + 5 })
    expect(windowLeftMs(openAt(NOON + HOUR, goesOn), NOON + HOUR)).toBe(GIVES_UP - HOUR)
    expect(windowLeftMs(openAt(NOON + GIVES_UP + 5, goesOn), NOON + GIVES_UP + 5)).toBe(-5)
  })

  it('loses also what no attempt of it reached before the next one', () => {
    const [two, one] = [
      anOutage({ beganAt: NOON + 6 * HOUR, endedAt: NOON + 10 * HOUR }),
      anOutage({ endedAt: NOON + 4 * HOUR }),
    ]
    const [second, first] = openAt(NOON + 10 * HOUR, two, one)
    expect(second?.windows[0]?.lost).toBeNull()
    expect(first?.windows[0]?.lost).toEqual({ from: NOON + 35 * MINUTE, through: NOON + 75 * MINUTE })
  })

  it('has a window for each schedule that is configured', () => {
    const [outage] = openOutages([anOutage()], { ...rules, retries: ['short', 'long'] }, NOON + HOUR)
    expect(outage?.windows.map(({ retries, closesAt }) => [retries, closesAt - NOON])).toEqual([
      ['short', 325 * MINUTE],
      ['long', 55_115 * MINUTE],
    ])
  })

  it('is over when nothing is sent again any more and the service was asked', () => {
    const end = NOON + HOUR + GIVES_UP
    const asked = anOutage({ reconciledAt: NOON + 2 * HOUR })
    expect([openAt(end - 1, asked).length, openAt(end, asked).length]).toEqual([1, 0])
    expect(openAt(end + HOUR, anOutage()).length).toBe(1)
    expect(openOutages([anOutage()], { ...rules, isReconciled: false }, end)).toEqual([])
    expect(openAt(end + 99 * HOUR, anOutage({ endedAt: null })).length).toBe(1)
  })

  it('in the future is none', () => {
    expect(openAt(NOON - 1, anOutage())).toEqual([])
  })

  it('may have lost something until the service was asked', () => {
    const lossy = anOutage({ endedAt: NOON + 10 * HOUR })
    const isLost = (outage: Outage) => openAt(NOON + 10 * HOUR, outage).map(mayBeLost)
    expect([isLost(lossy), isLost({ ...lossy, reconciledAt: NOON + 11 * HOUR }), isLost(anOutage())]).toEqual([
      [true],
      [false],
      [false],
    ])
  })

  it('leaves a window of 0 where there is none, and the newest one counts', () => {
    expect(windowLeftMs([], NOON)).toBe(0)
    const now = NOON + 20 * HOUR
    const newest = anOutage({ id: 2, beganAt: now - HOUR, endedAt: now - MINUTE })
    expect(windowLeftMs(openAt(now, newest, anOutage()), now)).toBe(GIVES_UP - MINUTE)
    expect(windowLeftMs(openAt(now, anOutage()), now)).toBe(0)
  })

  it('gets its event when it has ended, or after five minutes, once', () => {
    const goesOn = anOutage({ endedAt: null })
    expect(isToRaise(anOutage(), NOON + HOUR)).toBe(true)
    expect([isToRaise(goesOn, NOON + 299_999), isToRaise(goesOn, NOON + 300_000)]).toEqual([false, true])
    expect(isToRaise(anOutage({ raisedAt: NOON }), NOON + HOUR)).toBe(false)
  })

  it('has an event that names its times', () => {
    const now = NOON + 10 * HOUR
    const [outage] = openAt(now, anOutage({ endedAt: now }))
    if (outage === undefined) throw new Error('it is open')
    const { body, ...event } = outageEvent(outage, 'production', now)
    expect(event).toEqual({ environment: 'production', madeAt: now, subject: 'service', status: 'outage' })
    const at = (ms: number) => new Date(NOON + ms).toISOString()
    expect(JSON.parse(body)).toEqual({
      type: 'service.outage',
      cause: 'down',
      beganAt: at(0),
      endedAt: at(10 * HOUR),
      windows: [
        {
          retries: 'short',
          lostFrom: at(0),
          lostThrough: at(10 * HOUR - GIVES_UP),
          closesAt: at(GIVES_UP),
          retriesUntil: at(10 * HOUR + GIVES_UP),
        },
      ],
    })
  })
})
