import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { aDelivery, startHttp } from './receiver.ts'
import { aSender, send } from './sending.ts'

/** Answers only when the test does. */
async function startHeld() {
  const held: ServerResponse[] = []
  const receiver = await startHttp((response) => held.push(response))
  const answered = async (): Promise<void> => {
    await expect.poll(() => held.length).toBeGreaterThan(0)
    held.shift()?.end('ok')
  }
  return { ...receiver, held, answered }
}

test('a request that begins as soon as another has ended takes its connection', async () => {
  const receiver = await startHttp()
  const sender = aSender()
  for (let i = 0; i < 3; i++) await send(receiver.port, { sender, destination: { concurrency: 8 } })
  expect([receiver.received.length, receiver.sockets.length]).toEqual([3, 1])
})

test('a request does not wait for a connection that was opened for another one, which was given up meanwhile', async () => {
  const receiver = await startHttp()
  let lookedUp = 0
  const never = new Promise<readonly string[]>(() => undefined)
  const sender = aSender({ resolve: () => (++lookedUp === 1 ? never : Promise.resolve(['127.0.0.1'])) })
  const givenUp = new AbortController()
  const first = send(receiver.port, { sender, signal: givenUp.signal })
  await expect.poll(() => lookedUp).toBe(1)
  givenUp.abort()
  expect(await first).toMatchObject({ aborted: true, hasBegun: false })
  expect(await send(receiver.port, { sender })).toMatchObject({ status: 200 })
})

test('requests wait while all connections are in use, and go out in their order', async () => {
  const receiver = await startHttp()
  const sender = aSender()
  const ids = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5']
  const sending = ids.map((id) => {
    const event = { ...aDelivery().event, id }
    return send(receiver.port, { sender, delivery: { event }, destination: { concurrency: 1 } })
  })
  expect((await Promise.all(sending)).map((result) => !result.aborted && result.status)).toEqual(ids.map(() => 200))
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
  expect(receiver.sockets.length).toBe(1)
})

test('a request that is given up, waiting or under way, frees its place', async () => {
  const receiver = await startHeld()
  const sender = aSender()
  const destination = { concurrency: 1, timeoutMs: 60_000 }
  const [first, second] = [new AbortController(), new AbortController()]
  const underWay = send(receiver.port, { sender, destination, signal: first.signal })
  const waiting = send(receiver.port, { sender, destination, signal: second.signal })
  const last = send(receiver.port, { sender, destination })
  await expect.poll(() => receiver.held.length).toBe(1)
  second.abort()
  expect(await waiting).toMatchObject({ aborted: true, hasBegun: false })
  first.abort()
  expect(await underWay).toMatchObject({ aborted: true, hasBegun: true })
  receiver.held.shift()
  await receiver.answered()
  expect(await last).toMatchObject({ status: 200 })
  expect([receiver.received.length, receiver.sockets.length]).toEqual([2, 2])
})

test('requests of a forgotten destination end over their connections, those that wait too; a later one has a new connection', async () => {
  const receiver = await startHeld()
  const sender = aSender()
  const destination = { concurrency: 1, timeoutMs: 60_000 }
  const before = [send(receiver.port, { sender, destination }), send(receiver.port, { sender, destination })]
  await expect.poll(() => receiver.held.length).toBe(1)
  sender.forget(1)
  const after = send(receiver.port, { sender, destination })
  await expect.poll(() => receiver.held.length).toBe(2)
  for (let i = 0; i < 3; i++) await receiver.answered()
  expect(await Promise.all([...before, after])).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }])
  expect(receiver.sockets.length).toBe(2)
  await expect.poll(() => receiver.sockets[0]?.closed).toBe(true)
  expect(receiver.sockets[1]?.closed).toBe(false)
})

test('closing the sender also ends what a forgotten destination sends after its connection broke', async () => {
  const receiver = await startHeld()
  const sender = aSender()
  const destination = { concurrency: 1, timeoutMs: 60_000 }
  const sending = [send(receiver.port, { sender, destination }), send(receiver.port, { sender, destination })]
  await expect.poll(() => receiver.held.length).toBe(1)
  sender.forget(1)
  receiver.sockets[0]?.destroy()
  await expect.poll(() => receiver.held.length).toBe(2)
  await sender.close()
  expect(await Promise.all(sending)).toMatchObject([{ aborted: true }, { aborted: true, hasBegun: true }])
})
