import { expect, it } from 'vitest'
import { createDestinationHealth } from '../../src/delivery/destination-health.ts'
import type { AttemptResult } from '../../src/delivery/send.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const POLICY = { schedule: [0, 10], jitter: 0, maxAgeMs: 1000, retryAfterLimitMs: 5000 }

function aHealth({ setCircuit = async () => undefined as never } = {}) {
  const [changes, written, lines]: [boolean[], (number | null)[], LogLine[]] = [[], [], []]
  const health = createDestinationHealth(
    { id: 7, circuitOpenedAt: null },
    () => 'shop',
    {
      store: {
        setCircuit(_id, openedAt) {
          written.push(openedAt)
          return setCircuit()
        },
      },
      circuit: { failures: 2, probeIntervalMs: 100 },
      policy: POLICY,
      now: () => 5000,
      log: recordingLog(lines),
    },
    (isOpen) => changes.push(isOpen),
  )
  return { health, changes, written, lines }
}

function result(status: number, retryAfter?: string): AttemptResult {
  const error = status < 300 ? null : `answered HTTP ${status}`
  return { aborted: false, startedAt: 0, durationMs: 3, status, error, answer: new Uint8Array(), retryAfter }
}

it('failures open the circuit and a success closes it: the worker, the store and the log learn of it', () => {
  const { health, changes, written, lines } = aHealth()
  health.attempted(1, result(503))
  health.attempted(2, result(503))
  expect([health.circuitOpenedAt, health.probes.waitMs()]).toEqual([5000, 100])
  health.attempted(3, result(200))
  expect([changes, written]).toEqual([
    [true, false],
    [5000, null],
  ])
  expect(lines).toEqual([
    { level: 'error', event: 'destination.circuit_opened', destination: 'shop', probeIntervalMs: 100 },
    { level: 'warn', event: 'destination.recovered', destination: 'shop' },
  ])
  expect(health.totals()).toEqual({ delivered: 1, failed: 2, exhausted: 0, circuitOpenedAt: null, isFailing: false })
  expect(health.stats()).toMatchObject({ attempts: 3, p50Ms: 3, circuitOpenedAt: null })
})

it('the next probe waits for Retry-After of any delivery, and a 410 changes no circuit', () => {
  const { health } = aHealth()
  health.attempted(1, result(503))
  health.attempted(2, result(503, '2'))
  expect(health.probes.waitMs()).toBe(2000)
  health.attempted(3, result(410))
  expect(health.circuitOpenedAt).toBe(5000)
})

it('a circuit that cannot be written is a warning', async () => {
  const { health, lines } = aHealth({ setCircuit: () => Promise.reject(new Error('disk full')) })
  health.attempted(1, result(503))
  health.attempted(2, result(503))
  await expect
    .poll(() => lines.at(-1))
    .toEqual({ level: 'warn', event: 'destination.circuit_not_recorded', destination: 'shop', error: 'disk full' })
})

it('a state of the circuit that could not be written is written with the next attempt, until it is', async () => {
  let isBroken = true
  const setCircuit = async () => {
    if (isBroken) throw new Error('full')
    return undefined as never
  }
  const { health, written, lines } = aHealth({ setCircuit })
  for (const id of [1, 2]) health.attempted(id, result(503))
  const warnings = () => lines.filter(({ event }) => event === 'destination.circuit_not_recorded').length
  await until(() => warnings() === 1)
  health.attempted(3, result(503))
  await until(() => warnings() === 2)
  isBroken = false
  for (const id of [4, 5]) health.attempted(id, result(503))
  expect(written).toEqual([5000, 5000, 5000])
})
