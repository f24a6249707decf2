import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Response } from 'express'
import { expect, it, vi } from 'vitest'
import { createLongPollRegistry, type PollOptions } from '../../../src/api/events/long-polls.ts'
import { until } from '../../support/until.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const POLL: PollOptions = {
  waitMs: 3_600_000,
  name: 'books',
  client: 'one',
  onWait: () => undefined,
  check: () => undefined,
}

function aResponse(socket: object = new EventEmitter()) {
  const response = Object.assign(new EventEmitter(), { req: { socket }, headersSent: false, setHeader: vi.fn() })
  return response as typeof response & Response
}

it('a wake-up before the wait ends it at once, and only this one', async () => {
  const waiter = createLongPollRegistry().wait(aResponse(), POLL)
  waiter.wake()
  expect(await waiter.next()).toBe('woken')
  expect(await Promise.race([waiter.next(), 'waits'])).toBe('waits')
  waiter.end()
})

it('all requests that have a name are woken at once, and no others', async () => {
  const registry = createLongPollRegistry()
  const named = ['books', 'shop'].map((name) => registry.wait(aResponse(), { ...POLL, name }))
  const other = registry.wait(aResponse(), { ...POLL, name: null })
  registry.notifyAll()
  expect(await Promise.all(named.map(({ next }) => next()))).toEqual(['woken', 'woken'])
  expect(await Promise.race([other.next(), 'waits'])).toBe('waits')
  for (const { end } of [...named, other]) end()
})

it('a wait ends when the caller ends its side, and is aborted when the connection is gone', async () => {
  const registry = createLongPollRegistry()
  const socket = new EventEmitter()
  const [ending, going] = [aResponse(socket), aResponse()]
  const waiters = [registry.wait(ending, POLL), registry.wait(going, POLL)]
  const results = waiters.map(({ next }) => next())
  socket.emit('end')
  going.emit('close')
  expect(await Promise.all(results)).toEqual(['over', 'aborted'])
  for (const { end } of waiters) end()
})

it('a request takes one place however often it waits, and gives it back where it may not be answered any more', async () => {
  const registry = createLongPollRegistry(1)
  const refusal = new Error('revoked')
  const check = vi.fn<() => void>(() => {
    throw refusal
  })
  check.mockImplementationOnce(() => undefined)
  const waiter = registry.wait(aResponse(), { ...POLL, check })
  waiter.wake()
  expect(await waiter.next()).toBe('woken')
  const again = waiter.next()
  const other = registry.wait(aResponse(), { ...POLL, client: 'other' })
  expect(() => other.next()).toThrow('1 requests wait already')
  waiter.wake()
  await expect(again).rejects.toBe(refusal)
  waiter.end()
  expect(await Promise.race([other.next(), 'waits'])).toBe('waits')
  other.end()
})

it('a request that begins to wait after the end waits no more, and closes its connection', async () => {
  const registry = createLongPollRegistry()
  const response = aResponse()
  const waiter = registry.wait(response, POLL)
  registry.close()
  expect(await waiter.next()).toBe('aborted')
  waiter.end()
  expect(response.setHeader).toHaveBeenCalledWith('connection', 'close')
})

/** A request that has waited, and what only its wait holds. */
async function waitOnce(registry: ReturnType<typeof createLongPollRegistry>, socket: object) {
  const check = () => undefined
  const waiter = registry.wait(aResponse(socket), { ...POLL, check })
  const woken = waiter.next(3_600_000)
  waiter.wake()
  expect(await woken).toBe('woken')
  waiter.end()
  return new WeakRef(check)
}

it('a wait that has ended leaves nothing behind, though its connection stays', async () => {
  const registry = createLongPollRegistry()
  const socket = new EventEmitter()
  const ended = await Promise.all(Array.from({ length: 10 }, () => waitOnce(registry, socket)))
  await until(() => {
    collectGarbage()
    return ended.every((one) => one.deref() === undefined)
  })
  expect(socket.listenerCount('end')).toBe(1)
})
