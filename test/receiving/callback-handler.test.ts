import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { CallbackOutcome, StoredCallback } from '../../src/domain/event-record.ts'
import type { WantedAnswer } from '../../src/domain/kinds.ts'
import type { Realm } from '../../src/domain/realm.ts'
import { createBodyBudget } from '../../src/platform/body-budget.ts'
import { type CallbackHandlerOptions, createCallbackHandler } from '../../src/receiving/callback-handler.ts'
import type { OwnConnections } from '../../src/receiving/own-connections.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'

const STORED: StoredCallback = { callbackId: 1, eventIds: ['evt_1'], destinationIds: [], duplicates: 0 }
const WANTED: WantedAnswer = {
  status: 202,
  body: 'taken',
  echoHeaders: ['x-request-id'],
  withinMs: 5,
  validation: null,
}

/** The handler behind plain http, for a caller of bank-a whose institution wants `WANTED`. */
async function startHandler(
  storeCallback: CallbackHandlerOptions['storeCallback'],
  environment: Realm = 'bank-a/production',
  changes: Partial<CallbackHandlerOptions> = {},
) {
  const lines: LogLine[] = []
  const outcomes: CallbackOutcome[] = []
  const responses: ServerResponse[] = []
  const handle = createCallbackHandler({
    listener: 'callbacks',
    bodyBytes: 1024,
    bodies: createBodyBudget({ limitBytes: 4096 }),
    instance: 'test',
    admits: () => true,
    answers: new Map([['bank-a/production', WANTED]]),
    storeCallback,
    onStored: () => undefined,
    onOutcome: (outcome) => void outcomes.push(outcome),
    refusals: { on: () => () => undefined, own: {} as OwnConnections, markProbe: () => undefined },
    storedLog: { stored: () => undefined },
    log: recordingLog(lines),
    now: Date.now,
    ...changes,
  })
  const caller = {
    environment,
    authentication: 'mutual-tls',
    remoteAddress: '127.0.0.1',
    peer: null,
    tlsVersion: null,
    cipher: null,
  } as const
  const server = createServer((request, response) => {
    responses.push(response)
    handle(request, response, { kind: 'payment', target: '/p', caller })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const call = (body = '{}', headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}/p`, { method: 'POST', body, headers: { 'x-request-id': 'r1', ...headers } })
  return { call, lines, outcomes, responses }
}

it('answers as the institution wants it, and not before the callback is stored', async () => {
  const wasSent: (boolean | undefined)[] = []
  const { call, responses } = await startHandler(async () => {
    await setImmediate()
    wasSent.push(responses[0]?.headersSent)
    return STORED
  })
  const answer = await call()
  expect([answer.status, await answer.text(), answer.headers.get('x-request-id')]).toEqual([202, 'taken', 'r1'])
  expect(wasSent).toEqual([false])
})

it('answers 503 and repeats nothing when it is not stored', async () => {
  const { call } = await startHandler(() => Promise.reject(new Error('disk')))
  const answer = await call()
  expect([answer.status, answer.headers.get('x-request-id'), answer.headers.get('retry-after')]).toEqual([
    503,
    null,
    '5',
  ])
})

it('stores what came, and publishes it with its caller once it is stored', async () => {
  const said: unknown[] = []
  const { call } = await startHandler(
    async ({ body, contentType, resolvesTokens, kind, target }) => {
      said.push([body.toString(), contentType, resolvesTokens, kind, target])
      return STORED
    },
    'production',
    {
      resolvesTokens: (environment) => environment === 'production',
      onStored: (stored) => void said.push(stored),
      refusals: {
        on: () => () => undefined,
        own: {} as OwnConnections,
        markProbe: (address) => void said.push(address),
      },
    },
  )
  await call('a=1', { 'content-type': 'text/odd' })
  expect(said).toEqual([['a=1', 'text/odd', true, 'payment', '/p'], STORED, '127.0.0.1'])
})

it.each([
  { why: 'is larger than the limit', body: 'a'.repeat(1025), headers: {}, answer: [413, null], code: 'too_large' },
  {
    why: 'is compressed',
    body: 'a',
    headers: { 'content-encoding': 'x-gzip' },
    answer: [415, null],
    code: 'encoded_body',
  },
  { why: 'finds no room on the disk', body: 'ab', headers: {}, answer: [503, '60'], code: undefined },
])('stores no body that $why, and says so', async ({ body, headers, answer, code }) => {
  const refused: unknown[] = []
  const { call } = await startHandler(() => Promise.reject(new Error('stored')), 'production', {
    admits: (bytes) => bytes !== 2,
    refusals: {
      on: () => (_socket, describe) => void refused.push(describe().code),
      own: {} as OwnConnections,
      markProbe: () => undefined,
    },
  })
  const { status, headers: answered } = await call(body, headers)
  expect([status, answered.get('retry-after')]).toEqual(answer)
  expect(refused).toEqual(code === undefined ? [] : [code])
})

it('answers an institution without wishes 200', async () => {
  const { call } = await startHandler(async () => STORED, 'production')
  const answer = await call()
  expect([answer.status, await answer.text(), answer.headers.get('x-request-id')]).toEqual([200, '200', null])
})

it('logs and counts an answer that is later than the institution waits', async () => {
  const { call, lines, outcomes } = await startHandler(async () => {
    const end = performance.now() + 6
    while (performance.now() < end);
    return STORED
  })
  expect((await call()).status).toBe(202)
  expect(outcomes.map(({ kept }) => kept?.isLate)).toEqual([true])
  expect(lines).toEqual([
    {
      level: 'warn',
      event: 'callback.answered_late',
      kind: 'payment',
      institution: 'bank-a',
      environment: 'production',
      durationMs: expect.any(Number),
      withinMs: 5,
    },
  ])
})

it('has nothing late where no limit is set', async () => {
  const { call, lines, outcomes } = await startHandler(async () => {
    const end = performance.now() + 6
    while (performance.now() < end);
    return STORED
  }, 'production')
  expect((await call()).status).toBe(200)
  expect([outcomes.map(({ kept }) => kept?.isLate), lines]).toEqual([[false], []])
})
