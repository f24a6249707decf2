import { expect, it } from 'vitest'
import { outageFindings } from '../../src/cli/check/outages.ts'
import type { GatewayRun, Outage } from '../../src/domain/reconcile/outages.ts'
import { NOON } from '../support/builders.ts'

const HOUR = 3_600_000
const at = (time: number) => new Date(time).toISOString()
const rules = { retries: ['short'], isReconciled: true } as const
const anOutage = (changes: Partial<Outage> = {}): Outage => ({
  id: 1,
  beganAt: NOON,
  endedAt: NOON + HOUR,
  cause: 'down',
  raisedAt: null,
  reconciledAt: null,
  ...changes,
})
const aRun: GatewayRun = { id: 1, node: '', startedAt: NOON - HOUR, seenAt: NOON, endedAt: null }

const found = (outages: Outage[], now: number, runs: GatewayRun[] = [], isReconciled = true) =>
  outageFindings({ runs, outages }, { ...rules, isReconciled }, now).map(({ code, level, found, nextStep }) => ({
    code,
    level,
    found,
    nextStep,
  }))

it('names when no gateway ran, and until when the service sends again', () => {
  expect(found([anOutage()], NOON + 2 * HOUR)).toEqual([
    {
      code: 'outage',
      level: 'warning',
      found: `no gateway ran from ${at(NOON)} to ${at(NOON + HOUR)}; nothing is lost yet: the service sends again until ${at(NOON + HOUR + 325 * 60_000)}`,
      nextStep: expect.stringContaining('service reconcile'),
    },
  ])
})

it('is a problem where something may be lost, until the service was asked', () => {
  const lossy = anOutage({ endedAt: NOON + 10 * HOUR })
  const [problem] = found([lossy], NOON + 11 * HOUR)
  expect(problem).toMatchObject({
    code: 'outage_lost',
    level: 'problem',
    nextStep: expect.stringContaining('service reconcile'),
  })
  const until = at(NOON + 10 * HOUR - 325 * 60_000)
  expect(problem?.found).toContain(`callbacks first sent from ${at(NOON)} to ${until} may be lost`)
  const asked = { ...lossy, reconciledAt: NOON + 11 * HOUR }
  expect(found([asked], NOON + 12 * HOUR)).toMatchObject([
    { level: 'warning', nextStep: expect.stringContaining('nothing') },
  ])
  expect(found([asked], NOON + 16 * HOUR)).toEqual([])
})

it('without a section service it ends with the window', () => {
  const end = NOON + HOUR + 325 * 60_000
  expect(found([anOutage()], end - 1, [], false)).toMatchObject([
    { nextStep: expect.stringContaining('section service') },
  ])
  expect(found([anOutage()], end, [], false)).toEqual([])
})

it('while no gateway runs, the outage goes on', () => {
  expect(found([], NOON + 60_000, [aRun])).toEqual([])
  expect(found([], NOON + HOUR, [aRun])).toMatchObject([
    {
      level: 'warning',
      found: `no gateway ran since ${at(NOON)}; nothing is lost before ${at(NOON + 325 * 60_000)}`,
      nextStep: 'start the gateway',
    },
  ])
  expect(found([], NOON + 6 * HOUR, [aRun])).toMatchObject([{ level: 'problem' }])
})

it('503 that goes on needs another step', () => {
  expect(found([anOutage({ cause: 'refusing', endedAt: null })], NOON + HOUR)).toMatchObject([
    { found: expect.stringContaining('callbacks were answered 503 since'), nextStep: expect.stringContaining('disk') },
  ])
})

it('each schedule has its own words', () => {
  const [finding] = outageFindings(
    { runs: [], outages: [anOutage()] },
    { ...rules, retries: ['short', 'long'] },
    NOON + 2 * HOUR,
  )
  expect(finding?.found).toMatch(/with retries: short, .*; with retries: long, /)
})
