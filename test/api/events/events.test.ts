import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Fact, NewCallback } from '../../../src/domain/event.ts'
import { cursorAfter } from '../../../src/domain/public-id.ts'
import { type ApiContract, contractOf } from '../../support/api-contract.ts'
import { aCallback, aDestination, aFact, anInterpretedCallback, CALLER, NOON } from '../../support/builders.ts'
import { asClient, ask, askJson, type RunningApi, sharedApi, startApi } from '../api.ts'

const shared = sharedApi()

interface Page {
  readonly data: Record<string, unknown>[]
  readonly next: string
  readonly more: boolean
}

/** An event each; subject and text are unique unless given. */
async function withEvents(
  events: (Pick<Partial<Fact>, 'kind' | 'subject' | 'status'> & Omit<Partial<NewCallback>, 'kind'>)[],
): Promise<RunningApi> {
  const api = await startApi()
  for (const [i, { kind = 'payment', subject = String(i + 1), status = 'LIQUIDADO', ...callback }] of events.entries())
    await api.store.storeCallback(
      aCallback({ text: `{"i":${i}}`, ...callback, facts: [aFact({ kind, subject, status })] }),
    )
  return api
}

const subjects = (page: Page) => page.data.map((event) => event.subject)

describe('GET /v1/events', () => {
  it('gives everything once, page by page, oldest first, and stays at its end', async () => {
    const api = await withEvents([{}, {}, {}, {}, {}])
    const first = await askJson<Page>(api, '/v1/events?limit=2')
    const second = await askJson<Page>(api, `/v1/events?limit=2&after=${first.next}`)
    const third = await askJson<Page>(api, `/v1/events?limit=2&after=${second.next}`)
    const fourth = await askJson<Page>(api, `/v1/events?limit=2&after=${third.next}`)
    expect([first, second, third, fourth].map((page) => [subjects(page), page.more])).toEqual([
      [['1', '2'], true],
      [['3', '4'], true],
      [['5'], false],
      [[], false],
    ])
    expect(fourth.next).toBe(third.next)
  })

  it('goes on behind the end with what came meanwhile', async () => {
    const api = await withEvents([{}])
    const { next } = await askJson<Page>(api, '/v1/events')
    await api.store.storeCallback(aCallback({ text: '{"later":1}', facts: [aFact({ subject: 'later' })] }))
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${next}`))).toEqual(['later'])
  })

  it('gives 100 at a time unless told, from 1 to 1000', async () => {
    const api = await startApi()
    const callbacks = Array.from({ length: 101 }, (_, i) => aCallback({ text: `{"i":${i}}` }))
    await Promise.all(callbacks.map((callback) => api.store.storeCallback(callback)))
    const counts = []
    for (const query of ['', '?limit=1', '?limit=1000']) {
      const page = await askJson<Page>(api, `/v1/events${query}`)
      counts.push([page.data.length, page.more])
    }
    expect(counts).toEqual([
      [100, true],
      [1, true],
      [101, false],
    ])
  })

  it('moves next past what the filter skipped', async () => {
    const api = await withEvents([{}, { kind: 'charge' }, { kind: 'charge' }])
    expect(await askJson<Page>(api, '/v1/events?kind=payment')).toMatchObject({
      data: [{ subject: '1' }],
      next: cursorAfter(3),
      more: false,
    })
    expect(await askJson(api, '/v1/events?subject=nobody')).toEqual({ data: [], next: cursorAfter(3), more: false })
  })

  it('gives a hint in an empty answer where no event has ever had what the filter names', async () => {
    const api = await withEvents([{}, { kind: 'charge', environment: 'sandbox', status: 'ABERTA' }])
    const kinds = 'kinds of this gateway: registration, payment, charge, probe, operator'
    const hints: Record<string, unknown> = {}
    const queries = [
      'kind=pix',
      'kind=pix,payment',
      'kind=registration',
      'status=X',
      'environment=sandbox&kind=payment',
    ]
    for (const query of [...queries, 'kind=pix&order=desc', `kind=payment&after=${cursorAfter(2)}`, 'subject=none'])
      hints[query] = (await askJson(api, `/v1/events?${query}`)).hint
    expect(hints).toEqual({
      'kind=pix': `no event has kind 'pix'; ${kinds}`,
      'kind=pix,payment': undefined,
      'kind=registration': "no event has kind 'registration' yet",
      'status=X': "no event has status 'X'; statuses: ABERTA, LIQUIDADO",
      'environment=sandbox&kind=payment': "no sandbox event has kind 'payment' yet",
      'kind=pix&order=desc': `no event has kind 'pix'; ${kinds}`,
      [`kind=payment&after=${cursorAfter(2)}`]: undefined,
      'subject=none': undefined,
    })
    const client = await asClient(api, ['events.read'], { environment: 'production' })
    const answer = await askJson(api, '/v1/events?status=ABERTA', { authorization: client.authorization })
    expect(answer.hint).toBe("no event has status 'ABERTA'; statuses: LIQUIDADO")
  })

  it('begins behind the newest event with after=latest', async () => {
    const api = await withEvents([{}, {}])
    const page = await askJson<Page>(api, '/v1/events?after=latest')
    expect(page).toEqual({ data: [], next: cursorAfter(2), more: false })
    await api.store.storeCallback(aCallback({ text: '{"later":1}', facts: [aFact({ subject: 'later' })] }))
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${page.next}`))).toEqual(['later'])
  })

  it('filters, and shows probe and operator only when they are named', async () => {
    const api = await withEvents([
      { kind: 'payment' },
      { kind: 'charge', environment: 'sandbox', receivedAt: NOON + 1000 },
      { kind: 'registration', receivedAt: NOON + 2000 },
      { kind: 'probe', receivedAt: NOON + 2000 },
      { kind: 'operator', receivedAt: NOON + 2000 },
      { kind: 'payment', status: 'CANCELADO', receivedAt: NOON + 5000 },
    ])
    const expected: Record<string, string[]> = {
      'kind=payment': ['1', '6'],
      'kind=payment&kind=charge': ['1', '2', '6'],
      'kind=payment,charge': ['1', '2', '6'],
      'kind=probe': ['4'],
      'kind=operator,probe,registration': ['3', '4', '5'],
      'kind=nothing': [],
      '': ['1', '2', '3', '6'],
      'environment=sandbox': ['2'],
      'environment=production': ['1', '3', '6'],
      'subject=3': ['3'],
      'status=CANCELADO': ['6'],
      'from=2026-01-15T12:00:02Z': ['3', '6'],
      'to=2026-01-15T12:00:02.000Z': ['1', '2'],
      'from=2026-01-15T09:00:01-03:00&to=2026-01-15T12:00:03Z': ['2', '3'],
      'from=2026-01-16': [],
      'kind=payment&status=CANCELADO&environment=production': ['6'],
    }
    const shown: Record<string, unknown[]> = {}
    for (const query of Object.keys(expected)) shown[query] = subjects(await askJson<Page>(api, `/v1/events?${query}`))
    expect(shown).toEqual(expected)
  })

  it('refuses a bad query with everything that is wrong with it', async () => {
    const api = await shared()
    const answer = await ask(
      api,
      '/v1/events?limit=1001&environment=staging&from=yesterday&to=2026-02-31&after=abc&subject=1&subject=2&colour=red',
    )
    const errors = [
      [
        'colour',
        'unknown; known are after, limit, kind, institution, environment, subject, status, deliveryState, destination, search, include, from, to, wait, order',
      ],
      ['after', 'a cursor that "next" of an earlier answer gave, or latest'],
      ['limit', 'a whole number from 1 to 1000'],
      ['environment', 'one of production, sandbox'],
      ['subject', 'given 2 times'],
      ['from', 'an RFC 3339 time such as 2026-01-31T12:00:00Z or 2026-01-31T09:00:00-03:00; write + as %2B in a URL'],
      ['to', 'an RFC 3339 time such as 2026-01-31T12:00:00Z or 2026-01-31T09:00:00-03:00; write + as %2B in a URL'],
    ]
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      {
        type: 'about:blank',
        title: 'Bad Request',
        status: 400,
        code: 'request_invalid',
        detail: `the query is wrong: ${errors.map((words) => words.join(': ')).join('; ')}`,
        requestId: answer.headers['x-request-id'],
        errors: errors.map(([parameter, detail]) => ({ parameter, detail })),
      },
    ])
  })

  it('refuses what is almost a limit or a cursor', async () => {
    const api = await shared()
    const queries = ['limit=0', 'limit=-1', 'limit=1.5', 'limit=', 'limit=1e2', 'after=', `after=${cursorAfter(5)}=`]
    const answers = await Promise.all(queries.map((query) => ask(api, `/v1/events?${query}`)))
    expect(answers.map(({ status }) => status)).toEqual(queries.map(() => 400))
  })

  it('shows all that is known of an event', async () => {
    const api = await startApi()
    await api.store.storeCallback(anInterpretedCallback('{"identificador":"7","status":{"atual":"LIQUIDADO"}}'))
    const { data } = await askJson<Page>(api, '/v1/events')
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^evt_1_[0-9a-z]{10}$/),
        kind: 'payment',
        institution: null,
        environment: 'production',
        subject: '7',
        status: 'LIQUIDADO',
        receivedAt: '2026-01-15T12:00:00.000Z',
        listener: 'callbacks',
        authentication: 'mutual-tls',
        source: 'callback',
        unresolved: false,
        mark: null,
        part: null,
        duplicates: 0,
        lastSeenAt: null,
        callback: 'clb_1',
        payloadRemovedAt: null,
        contentType: 'application/json',
        data: { identificador: '7', status: { atual: 'LIQUIDADO' } },
      },
    ])
  })

  it.each([
    ['JSON with its numbers as they were written', '{ "valor": 150.10, "n":12345678901234567890 }', undefined],
    ['JSON that is only a number', '1.00', undefined],
    ['text as a string', 'notification="é"\n', '"notification=\\"é\\"\\n"'],
    ['an empty body as an empty string', '', '""'],
  ])('shows %s', async (_, text, shown = text) => {
    const api = await shared()
    const before = await api.store.latestPosition()
    await api.store.storeCallback(aCallback({ text }))
    const { body } = await ask(api, `/v1/events?after=${cursorAfter(before)}`)
    expect(body).toMatch(/^\{"data":\[\{.*\}\],"next":"[^"]+","more":false\}$/s)
    expect(body).toContain(`"data":${shown}}]`)
    expect(() => JSON.parse(body)).not.toThrow()
  })

  it('shows what is no text as base64', async () => {
    const api = await startApi()
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d])
    await api.store.storeCallback(aCallback({ body }))
    const { data } = await askJson<Page>(api, '/v1/events')
    expect(data).toMatchObject([{ data: null, dataBase64: body.toString('base64') }])
  })

  it('shows of a split callback only the fact, in its envelope', async () => {
    const api = await startApi()
    await api.store.storeCallback(anInterpretedCallback('{"a":1.50,"pix":[{"txid":"x"}, {"txid":"y"}]}', ['/pix']))
    const { data } = await askJson<Page>(api, '/v1/events')
    expect(data).toMatchObject([
      { part: '1/2', subject: 'x', data: { a: 1.5, pix: [{ txid: 'x' }] } },
      { part: '2/2', subject: 'y', data: { a: 1.5, pix: [{ txid: 'y' }] } },
    ])
  })
})

describe('GET /v1/events?order=desc', () => {
  const get = (api: RunningApi, query = '') => askJson<Page>(api, `/v1/events?order=desc${query}`)

  it('gives everything once, page by page, newest first, and ends', async () => {
    const api = await withEvents([{}, {}, {}, {}, {}])
    const pages = [await get(api, '&limit=2')]
    for (let i = 0; i < 3; i++) pages.push(await get(api, `&limit=2&after=${pages.at(-1)?.next}`))
    expect(pages.map((page) => [subjects(page), page.more])).toEqual([
      [['5', '4'], true],
      [['3', '2'], true],
      [['1'], false],
      [[], false],
    ])
    expect(pages.map(({ next }) => next)).toEqual([3, 1, 0, 0].map((position) => cursorAfter(position)))
    expect(subjects(await askJson<Page>(api, '/v1/events?order=asc'))).toEqual(['1', '2', '3', '4', '5'])
  })

  it('gives what came meanwhile to no one who reads back, and takes the same cursors as order=asc', async () => {
    const api = await withEvents([{}, {}, {}, {}])
    const first = await get(api, '&limit=1')
    await api.store.storeCallback(aCallback({ text: '{"later":1}', facts: [aFact({ subject: 'later' })] }))
    expect(subjects(await get(api, `&after=${first.next}`))).toEqual(['3', '2', '1'])
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${first.next}`))).toEqual(['4', 'later'])
    const forward = await askJson<Page>(api, '/v1/events?limit=2')
    expect(subjects(await get(api, `&after=${forward.next}`))).toEqual(['2', '1'])
    expect(subjects(await get(api, '&limit=1&after=latest'))).toEqual(['later'])
  })

  it('filters, and moves next before what the filter skipped', async () => {
    const api = await withEvents([
      ...[{ kind: 'charge' }, {}, { kind: 'charge', status: 'CANCELADO' }, { kind: 'probe' }],
      ...[{ environment: 'sandbox' as const, receivedAt: NOON + 1000 }],
    ])
    const shown: Record<string, unknown[]> = {}
    const queries = ['', 'kind=charge', 'kind=probe,charge', 'environment=sandbox', 'status=CANCELADO', 'subject=2']
    for (const query of [...queries, 'to=2026-01-15T12:00:01Z']) shown[query] = subjects(await get(api, `&${query}`))
    expect(shown).toEqual({
      '': ['5', '3', '2', '1'],
      'kind=charge': ['3', '1'],
      'kind=probe,charge': ['4', '3', '1'],
      'environment=sandbox': ['5'],
      'status=CANCELADO': ['3'],
      'subject=2': ['2'],
      'to=2026-01-15T12:00:01Z': ['3', '2', '1'],
    })
    const page = await get(api, '&kind=charge&limit=1')
    expect([page.next, page.more]).toEqual([cursorAfter(2), true])
  })

  it('ends a page where 4 MiB are full, and misses nothing', async () => {
    const text = '\u0001'.repeat(100_000)
    const api = await startApi()
    for (let i = 1; i <= 8; i++)
      await api.store.storeCallback(aCallback({ text: text + i, facts: [aFact({ subject: `${i}` })] }))
    const first = await get(api)
    const second = await get(api, `&after=${first.next}`)
    expect([first, second].map((page) => [subjects(page), page.more])).toEqual([
      [['8', '7', '6', '5', '4', '3'], true],
      [['2', '1'], false],
    ])
  })

  it('does not wait, and says so', async () => {
    const api = await shared()
    const answer = await ask(api, '/v1/events?order=desc&wait=5')
    expect([answer.status, JSON.parse(answer.body).errors]).toEqual([
      400,
      [
        {
          parameter: 'wait',
          detail: 'not with order=desc, which reads back from the newest event: wait for new events with order=asc',
        },
      ],
    ])
    expect((await ask(api, '/v1/events?order=desc&wait=0')).status).toBe(200)
    expect(JSON.parse((await ask(api, '/v1/events?order=newest')).body).errors).toEqual([
      { parameter: 'order', detail: 'one of asc, desc' },
    ])
  })

  it('ends without a gap where retention removed events, and a reader that turns round gets the later removals', async () => {
    const api = await withEvents([{}, {}, {}, {}, {}, {}])
    const remove = async (callbackId: number, now: number) => {
      for (const part of ['payload', 'metadata'] as const)
        await api.store.removeAged({ part, before: NOON + 1, callbackIds: [callbackId] }, now)
    }
    await remove(1, NOON + 1000)
    await remove(3, NOON + 2000)
    const first = await get(api, '&limit=2')
    await remove(4, NOON + 3000)
    const second = await get(api, `&after=${first.next}`)
    expect([first, second].map((page) => [subjects(page), page.more])).toEqual([
      [['6', '5'], true],
      [['2'], false],
    ])
    const turned = await ask(api, `/v1/events?after=${second.next}`)
    expect(turned.status).toBe(410)
    const { next } = JSON.parse(turned.body) as { next: string }
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${next}`))).toEqual(['2', '5', '6'])

    const afterwards = await get(api)
    expect(subjects(await askJson<Page>(api, `/v1/events?after=${afterwards.next}`))).toEqual(['2', '5', '6'])
  })
})

describe('GET /v1/events/:id', () => {
  it('shows the event with its evidence and its deliveries', async () => {
    const api = await startApi()
    await api.store.createDestination(aDestination(), NOON)
    const { eventIds } = await api.store.storeCallback(anInterpretedCallback('{"identificador":"7","valor":150.10}'))
    const { body } = await ask(api, `/v1/events/${eventIds[0]}`)
    expect(body).toContain('"data":{"identificador":"7","valor":150.10},"evidence"')
    expect(JSON.parse(body)).toMatchObject({
      id: eventIds[0],
      subject: '7',
      evidence: {
        callback: 'clb_1',
        route: 'payment',
        environment: 'production',
        listener: 'callbacks',
        authentication: 'mutual-tls',
        receivedAt: '2026-01-15T12:00:00.000Z',
        remoteAddress: '127.0.0.1',
        target: '/callbacks/payment',
        tlsVersion: 'TLSv1.3',
        cipher: 'TLS_AES_128_GCM_SHA256',
        contentType: 'application/json',
        headers: [['content-type', 'application/json']],
        bytes: 36,
        peer: { fingerprint: CALLER.fingerprint, subject: 'CN=service', issuer: 'CN=issuing' },
      },
      hashes: {
        payload: createHash('sha256').update('{"identificador":"7","valor":150.10}').digest('hex'),
        event: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      deliveries: [
        { id: 'dlv_1', event: eventIds[0], destination: 'dst_1', destinationName: 'books', state: 'pending' },
      ],
    })
  })

  it('shows the latest attempts of its deliveries', async () => {
    const api = await startApi()
    const { id } = await api.store.createDestination(aDestination(), NOON)
    const { eventIds } = await api.store.storeCallback(aCallback())
    await api.store.claimDeliveries({
      destinationId: id,
      limit: 1,
      now: Date.now(),
      leaseUntil: Date.now() + 1000,
      freshSince: 0,
      backlogLimit: 100,
    })
    await api.store.recordAttempts([
      {
        deliveryId: 1,
        attempt: 1,
        startedAt: NOON,
        durationMs: 12,
        status: 500,
        error: 'answered HTTP 500',
        answer: Buffer.from('invalid\n signature\u001b[2J'),
        result: { state: 'pending', at: NOON + 5000, retriesUsed: 1 },
      },
    ])
    const lastAnswer = 'invalid signature\ufffd[2J'
    const shown = await Promise.all([askJson(api, `/v1/events/${eventIds[0]}`), askJson(api, '/v1/deliveries')])
    expect(shown).toMatchObject([{ deliveries: [{ lastAnswer }] }, { data: [{ lastAnswer }] }])
    expect(await askJson(api, `/v1/events/${eventIds[0]}/deliveries`)).toMatchObject({
      data: [
        {
          lastAnswer,
          id: 'dlv_1',
          state: 'pending',
          attempts: 1,
          lastStatus: 500,
          nextAttemptAt: '2026-01-15T12:00:05.000Z',
          latestAttempts: [
            {
              attempt: 1,
              startedAt: '2026-01-15T12:00:00.000Z',
              durationMs: 12,
              status: 500,
              error: 'answered HTTP 500',
              answer: 'invalid signature\ufffd[2J',
            },
          ],
        },
      ],
    })
  })

  it('says of an unknown id that it is not there', async () => {
    const api = await withEvents([{}])
    const ids = ['evt_1_0000000000', 'evt_1', '1', "'; drop table events", '..']
    const paths = ids.flatMap((id) => ['', '/original', '/deliveries'].map((end) => encodeURIComponent(id) + end))
    const answers = await Promise.all(paths.map((path) => ask(api, `/v1/events/${path}`)))
    for (const { status, body } of answers)
      expect([status, JSON.parse(body)]).toMatchObject([404, { code: 'not_found', status: 404 }])
  })
})

describe('GET /v1/events/:id/original', () => {
  it.each([
    ['a whole callback', Buffer.from(' {"identificador":"7"}\r\n')],
    ['bytes that are no text', Buffer.from([0, 0xff, 0x0a, 0x80])],
    ['nothing', Buffer.alloc(0)],
  ])('hands out %s exactly, as a file', async (_, body) => {
    const api = await shared()
    const { eventIds } = await api.store.storeCallback(aCallback({ body, contentType: 'text/html' }))
    const answer = await ask(api, `/v1/events/${eventIds[0]}/original`)
    expect([answer.status, answer.bytes]).toEqual([200, body])
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  it('hands out the callback that a split fact came in', async () => {
    const api = await shared()
    const text = '{"a":1.50,"pix":[{"txid":"x"}, {"txid":"y"}]}\n'
    const { eventIds } = await api.store.storeCallback(anInterpretedCallback(text, ['/pix']))
    const originals = await Promise.all(eventIds.map((id) => ask(api, `/v1/events/${id}/original`)))
    expect(originals.map(({ body }) => body)).toEqual([text, text])
  })

  it('documents the headers that keep it from being shown as a page of the API', async () => {
    const { api } = (await contractOf(await shared())) as ApiContract
    const { content, headers } = api.paths['/v1/events/{id}/original']?.get?.responses[200] ?? {}
    expect(content).toEqual({ '*/*': { example: expect.any(String) } })
    expect(headers).toMatchObject({
      'content-disposition': { required: true, schema: { const: 'attachment' } },
      'content-security-policy': { required: true, schema: { const: "default-src 'none'; sandbox" } },
      'x-content-type-options': { required: true, schema: { const: 'nosniff' } },
    })
  })

  it('gives what is no plain content type as bytes of any type', async () => {
    const api = await startApi()
    const shown: unknown[] = []
    for (const contentType of [
      null,
      '',
      'html',
      'text/',
      'text/ html',
      'text/plain\r\nx: 1',
      `text/${'x'.repeat(300)}`,
      'text/plain; é',
    ]) {
      const { eventIds } = await api.store.storeCallback(aCallback({ contentType, text: `{"i":${shown.length}}` }))
      shown.push((await ask(api, `/v1/events/${eventIds[0]}/original`)).headers['content-type'])
    }
    expect(shown).toEqual(Array(8).fill('application/octet-stream'))
  })
})
