import { expect, test } from 'vitest'
import { withConnectionBudget } from '../../src/delivery/connection-budget.ts'
import type { Sender, SendResult } from '../../src/delivery/send.ts'
import { until } from '../support/until.ts'
import { aDelivery, aDestination, startHttp } from './receiver.ts'
import { aSender, NOW, succeeded } from './sending.ts'

const never = new AbortController().signal

function attempt(sender: Sender, port: number, id: number, signal = never): Promise<SendResult> {
  return sender.send(aDelivery(), aDestination(`http://hooks.example.com:${port}/`, { id, concurrency: 8 }), { signal })
}

test('idle connections of other destinations are closed before one more is opened', async () => {
  const receiver = await startHttp()
  const sender = withConnectionBudget(aSender(), { connections: 8, now: () => NOW })
  for (let id = 1; id <= 12; id++) expect(await attempt(sender, receiver.port, id)).toEqual(succeeded('ok'))
  expect(receiver.sockets).toHaveLength(12)
  await until(() => receiver.sockets.filter((socket) => !socket.destroyed).length <= 8)
  // The latest are still there to be used again.
  await attempt(sender, receiver.port, 12)
  expect(receiver.sockets).toHaveLength(12)
})

test('an attempt waits while all are in use, and goes on when one is free', async () => {
  let answer: () => void = () => undefined
  const receiver = await startHttp((response) => {
    if (receiver.received.length > 1) response.end('ok')
    else answer = () => response.end('first')
  })
  const sender = withConnectionBudget(aSender(), { connections: 1, now: () => NOW })
  const first = attempt(sender, receiver.port, 1)
  await until(() => receiver.received.length === 1)
  const second = attempt(sender, receiver.port, 2)
  expect(receiver.sockets).toHaveLength(1)
  answer()
  expect(await Promise.all([first, second])).toEqual([succeeded('first'), succeeded('ok')])
})

test('one destination gets an eighth of all, so that it never takes the others’', async () => {
  const receiver = await startHttp((response) => setTimeout(() => response.end('ok'), 20))
  const sender = withConnectionBudget(aSender(), { connections: 16, now: () => NOW })
  await Promise.all(Array.from({ length: 6 }, () => attempt(sender, receiver.port, 1)))
  expect(receiver.received).toHaveLength(6)
  expect(receiver.sockets).toHaveLength(2)
})

test('an attempt that waited without effect has not begun: its claim is given back', async () => {
  const receiver = await startHttp(() => undefined)
  const sender = withConnectionBudget(aSender(), { connections: 1, now: () => NOW, waitLimitMs: 10 })
  const abort = new AbortController()
  const first = attempt(sender, receiver.port, 1, abort.signal)
  const notBegun = { aborted: true, startedAt: NOW, durationMs: 0, hasBegun: false }
  expect(await attempt(sender, receiver.port, 2)).toEqual(notBegun)
  expect(await attempt(sender, receiver.port, 2, AbortSignal.abort())).toEqual(notBegun)
  abort.abort()
  await first
})
