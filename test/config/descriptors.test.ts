import { expect, test } from 'vitest'
import { isLowered, limitListeners, planDescriptors } from '../../src/gateway/descriptors.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { load, minimum } from './files.ts'

const config = () => load(minimum())

test('All connections fit below a limit that is high enough', () => {
  const plan = planDescriptors(config(), 65_536)
  expect(plan.wanted).toEqual({ callbacks: 2000, charges: 0, api: 2000, destinations: 2048 })
  expect([plan.allowed, isLowered(plan)]).toEqual([plan.wanted, false])
  expect(planDescriptors(config(), null).allowed).toEqual(plan.wanted)
})

test('Below a low limit all are lowered, with the files’ descriptors kept free, and a warning says so', () => {
  const plan = planDescriptors(config(), 1024)
  expect(plan.allowed).toEqual({ callbacks: 275, charges: 0, api: 275, destinations: 281 })
  const { callbacks, charges, api, destinations } = plan.allowed
  expect(callbacks + charges + api + destinations + plan.files).toBeLessThanOrEqual(1024)
  const lines: LogLine[] = []
  const limits = limitListeners(config(), plan, recordingLog(lines))
  // An address keeps its quarter.
  expect(limits.callbacks).toEqual({ ...config().callbacks.limits, maxConnections: 275, connectionsPerAddress: 69 })
  expect(lines).toEqual([
    { level: 'warn', event: 'limits.lowered', hint: expect.stringContaining('LimitNOFILE='), ...plan },
  ])
})

test('A limit that is too low for a minimum of each is refused with the number that is needed', () => {
  expect(() => planDescriptors(config(), 287)).toThrow(
    /may open 287 files and connections, and needs at least 288: raise/,
  )
  expect(planDescriptors(config(), 288).allowed).toEqual({ callbacks: 32, charges: 0, api: 32, destinations: 32 })
})

test('Each entry of the section service keeps 16 descriptors free for its calls', () => {
  const baseAddresses = { charges: 'https://service.example/charges' }
  const entry = { environment: 'sandbox', baseAddresses, clientId: 'id', clientSecret: 'secret' }
  const calling = load({ ...minimum(), service: [entry] }, { secret: 'of-the-service' })
  expect(planDescriptors(calling, 304).files).toBe(208)
  expect(() => planDescriptors(calling, 303)).toThrow(/needs at least 304/)
})
