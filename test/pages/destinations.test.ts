import { describe, expect, it } from 'vitest'
import { askJson, post } from '../api/api.ts'
import { aCallback, aDestination, aFact, NOON } from '../support/builders.ts'
import { MARKUP, PAGE_BYTES, startPages, submitted, textIn } from './api-pages.ts'

const ONE = '/ui/destinations/dst_1'

async function withDestination(changes: Parameters<typeof startPages>[0] = {}) {
  const world = await startPages(changes)
  await world.api.store.createDestination(aDestination({ name: 'books' }), NOON)
  return world
}

describe('the list of destinations', () => {
  it('says how each is, and leads to it', async () => {
    const { api, browser } = await withDestination()
    await api.store.storeCallback(aCallback({ facts: [aFact()] }))
    await api.store.setCircuit(1, NOON)
    const { status, body } = await browser.get('/ui/destinations')
    expect(status).toBe(200)
    expect(textIn(body)).toMatch(/books active accepts nothing 1 0 \d/)
    // Failing ones are among them, so their number has the name that the overview gives it, and not that of the state "waiting".
    for (const page of ['/ui/destinations', ONE, '/ui/overview'])
      expect(textIn((await browser.get(page)).body)).toMatch(/\bPending\b/)
    expect(body).toContain(`href="${ONE}"`)
  })

  it('holds 500 destinations with very long URLs, in pages that stay small', async () => {
    const { api, browser } = await startPages()
    const url = `https://hooks.example.com/${'a'.repeat(1900)}`
    for (let n = 1; n <= 60; n++) await api.store.createDestination(aDestination({ name: `d-${n}`, url }), NOON)
    const first = await browser.get('/ui/destinations')
    expect(first.body.length).toBeLessThan(PAGE_BYTES)
    expect(first.body).toContain('href="/ui/destinations?after=dst_25"')
    const second = await browser.get('/ui/destinations?after=dst_25')
    expect(second.body).toMatch(/d-26(.|\n)*d-50/)
    expect(textIn((await browser.get('/ui/destinations?name=D-60')).body)).not.toMatch(/d-5/)
  })

  it('says that there is none, and leads to the form of a new one', async () => {
    const { browser } = await startPages()
    const { body } = await browser.get('/ui/destinations')
    expect([
      textIn(body).includes('There is no destination yet.'),
      body.includes('href="/ui/destinations/new"'),
    ]).toEqual([true, true])
  })
})

describe('a destination', () => {
  it('is paused with a reason and resumed', async () => {
    const { api, browser } = await withDestination()
    const paused = await submitted(browser, ONE, `${ONE}/pause`, { reason: 'new <server>' })
    expect(paused.flash).toBe('good: books is paused. Its deliveries wait.')
    expect(textIn(paused.body)).toContain('new <server>')
    expect(await api.store.listDestinations()).toMatchObject([{ state: 'paused' }])
    const resumed = await submitted(browser, ONE, `${ONE}/resume`)
    expect(resumed.flash).toBe('good: books is resumed.')
    const { actions } = await api.store.listActions({}, 9)
    expect(actions.map(({ action, reason, channel, target }) => [action, reason, channel, target])).toEqual([
      ['pauseDestination', 'new <server>', 'page', 'dst_1'],
      ['resumeDestination', null, 'page', 'dst_1'],
    ])
  })

  it.each([
    ['good: The test event was accepted: HTTP 204 in 12 ms. Answer: <b>ok</b>', { status: 204, error: null }],
    [
      'bad: The test event failed after 12 ms: connection refused. Answer: <b>ok</b>',
      { status: null, error: 'connection refused' },
    ],
  ])('is tested: %s', async (flash, outcome) => {
    const testDestination = async () => ({ ...outcome, durationMs: 12.3, answer: Buffer.from('<b>ok</b>') })
    const { browser } = await withDestination({ testDestination })
    expect((await submitted(browser, ONE, `${ONE}/test`)).flash).toBe(flash)
  })

  it('is tested with a kind that it receives, and with no other', async () => {
    const asked: string[] = []
    const testDestination = async (_: unknown, kind: string) => {
      asked.push(kind)
      return { status: 204, error: null, durationMs: 1, answer: Buffer.from('') }
    }
    const { api, browser } = await startPages({ testDestination })
    await api.store.createDestination(aDestination({ kinds: ['payment'] }), NOON)
    const form = /<select id="kind".*?<\/select>/s.exec((await browser.get(ONE)).body)?.[0]
    expect(form?.match(/(?<=value=")\w+/g)).toEqual(['operator', 'payment'])
    await submitted(browser, ONE, `${ONE}/test`, { kind: 'payment' })
    expect((await submitted(browser, ONE, `${ONE}/test`, { kind: 'charge' })).flash).toMatch(/^bad: .*kind/)
    const refused = await post(api, '/v1/destinations/dst_1/test', { kind: 'charge' })
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      400,
      expect.objectContaining({ errors: [{ pointer: '#/kind', detail: 'one of operator, payment' }] }),
    ])
    await post(api, '/v1/destinations/dst_1/test')
    expect(asked).toEqual(['payment', 'operator'])
  })

  it.each([
    ['en', 'The secret cannot be used. Type whsec_ and the base64 of 24 to 64 bytes, or leave it empty.'],
    ['pt', 'O segredo não pode ser usado. Digite whsec_ e o base64 de 24 a 64 bytes, ou deixe vazio.'],
  ])('gets a secret that the receiver already has, in %s', async (language, problem) => {
    const { api, browser } = await withDestination()
    await browser.submit('/ui/', '/ui/language', { language, next: '/ui/' })
    const own = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const answer = await browser.submit(ONE, `${ONE}/rotate`, { overlap: '1h', secret: own })
    expect([answer.status, answer.body.includes(`value="${own}"`)]).toEqual([200, true])
    expect((await api.store.listDestinations())[0]?.secrets[0]).toBe(own)
    const wrong = await submitted(browser, ONE, `${ONE}/rotate`, { overlap: '1h', secret: 'abc-s3cret' })
    expect(wrong.flash).toBe(`bad: ${problem}`)
    expect(wrong.body).not.toContain('s3cret')
  })

  it('gets a new secret, which is shown once and is in no address', async () => {
    const { api, browser } = await withDestination()
    const answer = await browser.submit(ONE, `${ONE}/rotate`, { overlap: '1h' })
    const [{ secrets, previousSecretUntil } = { secrets: [], previousSecretUntil: null }] =
      await api.store.listDestinations()
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      200,
      undefined,
      'no-store',
    ])
    expect(answer.body).toContain(`value="${secrets[0]}"`)
    expect(previousSecretUntil).toBe(NOON + 3_600_000)
    expect((await browser.get(ONE)).body).not.toContain('value="whsec_')
    expect(JSON.stringify(api.lines)).not.toContain(secrets[0])
    expect((await submitted(browser, ONE, `${ONE}/rotate`, { overlap: 'soon' })).flash).toMatch(/^bad: .*overlap/)
  })

  it('shows its waiting deliveries, to be retried and skipped', async () => {
    const { api, browser } = await withDestination()
    for (const text of ['1', '2'])
      await api.store.storeCallback(aCallback({ text, facts: [aFact({ subject: MARKUP })] }))
    const page = await browser.get(ONE)
    expect(textIn(page.body)).toMatch(/dlv_1 evt_1_\w+ payment <script>/)
    expect(page.body).not.toMatch(/<script>alert|<img/)
    const fields = { destination: 'dst_1', state: 'pending' }
    const skipped = await submitted(browser, ONE, '/ui/deliveries/dlv_1/skip', { ...fields, reason: 'sold' })
    expect([skipped.flash, skipped.location]).toEqual([
      'good: dlv_1 is canceled and will not be sent.',
      `${ONE}?state=pending`,
    ])
    expect(textIn(skipped.body)).not.toContain('dlv_1 evt')
    expect(textIn((await browser.get(`${ONE}?state=canceled`)).body)).toContain('dlv_1')
    expect((await submitted(browser, ONE, '/ui/deliveries/dlv_2/retry', fields)).flash).toBe('good: dlv_2 is due now.')
    expect((await submitted(browser, ONE, '/ui/deliveries/dlv_1/skip', fields)).flash).toMatch(/^bad: /)
    await api.store.pauseDestination(1, 'maintenance')
    expect((await submitted(browser, ONE, '/ui/deliveries/dlv_1/retry', fields)).flash).toBe(
      'good: dlv_1 is pending again. It waits: the destination is paused.',
    )
  })

  it('counts deliveries with the same answer once, with what the receiver said and since when', async () => {
    const { api, browser } = await withDestination()
    for (const n of [1, 2, 3])
      await api.store.storeCallback(
        aCallback({ text: `${n}`, receivedAt: NOON + n * 60_000, facts: [aFact({ subject: `s${n}` })] }),
      )
    const claim = { destinationId: 1, limit: 2, backlogLimit: 2, now: NOON + 200_000, leaseUntil: NOON + 300_000 }
    const { deliveries } = await api.store.claimDeliveries({ ...claim, freshSince: 0 })
    await api.store.recordAttempts(
      deliveries.map(({ deliveryId, attempt }) => ({
        deliveryId,
        attempt,
        startedAt: NOON + 200_000,
        durationMs: 1,
        status: 422,
        error: 'answered HTTP 422',
        answer: Buffer.from('unknown account'),
        result: { state: 'pending', at: NOON + 400_000, retriesUsed: 1 },
      })),
    )
    const text = textIn((await browser.get(ONE)).body)
    expect(text.split('HTTP 422')).toHaveLength(2)
    expect(text).toMatch(
      /2 deliveries failing answered HTTP 422 Created 2026-01-15 12:0\d:00 – 2026-01-15 12:0\d:00 The receiver said: unknown account/,
    )
    expect(text).toMatch(/1 delivery waiting Created/)
  })

  it.each([
    ['en', 'waits: books accepts nothing at the moment, next try', 'waits: books is paused', 'Next try'],
    [
      'pt-BR',
      'aguarda: books não aceita nada no momento, próxima tentativa',
      'aguarda: books está em pausa',
      'Próxima tentativa',
    ],
  ])('and its events say what a delivery waits for, in %s', async (language, circuit, paused, next) => {
    const { api, browser } = await withDestination({ nextProbeOf: () => NOON + 30_000 })
    await api.store.storeCallback(aCallback({}))
    const { data } = await askJson<{ data: { event: string }[] }>(api, '/v1/deliveries')
    const [page, event] = [ONE, `/ui/events/${data[0]?.event}`]
    const read = async (path: string) => (await browser.get(path, { 'accept-language': language })).body
    await api.store.setCircuit(1, NOON)
    for (const body of [await read(page), await read(event)])
      expect(body).toContain(`${circuit} <time datetime="2026-01-15T12:00:30.000Z">`)
    expect(textIn(await read(page))).toContain(next)
    await api.store.pauseDestination(1, 'maintenance')
    for (const path of [page, event]) expect(textIn(await read(path))).toContain(paused)
  })

  it('that vanished meanwhile leads back to the list, with the reason', async () => {
    const { api, browser } = await withDestination()
    const { body } = await browser.get(ONE)
    await api.store.deleteDestination(1)
    const token = /name="token" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const answer = await browser.send(`${ONE}/pause`, { method: 'POST', form: { token } })
    expect([answer.status, answer.headers.location]).toEqual([303, '/ui/destinations'])
    expect((await browser.get('/ui/destinations')).body).toContain('It does not exist, or no longer.')
    const gone = await browser.get(ONE)
    expect([gone.status, gone.body.includes('<a href="/ui/">Back</a>')]).toEqual([404, true])
  })

  it('escapes names, and has no button for what the viewer may not change', async () => {
    const { api, openAs } = await withDestination()
    await api.store.updateDestination(1, { url: `https://hooks.example.com/?${encodeURIComponent(MARKUP)}` }, NOON)
    const reader = await openAs(['destinations.read', 'operations.read'])
    const writer = await openAs(['destinations.read', 'destinations.write', 'operations.read', 'events.read'])
    for (const [browser, words] of [
      [reader, 'You may look, but not change'],
      [writer, 'It belongs to another client'],
    ] as const) {
      const { body } = await browser.get(ONE)
      expect(textIn(body)).toContain(words)
      expect(body).not.toMatch(/destinations\/dst_1\/|deliveries\/dlv/)
    }
    const own = await api.store.createDestination(aDestination({ name: 'own' }), NOON, writer.id)
    expect((await writer.get(`/ui/destinations/dst_${own.id}`)).body).toContain('/pause"')
  })

  it('of the configuration file has no button for a new secret', async () => {
    const { api, browser } = await startPages()
    await api.store.syncDestinations([aDestination()], NOON)
    const { body } = await browser.get(ONE)
    expect(body).not.toMatch(/\/(?:rotate|delete|edit)"/)
    expect(textIn(body)).toContain('Its settings and its secret are in the configuration file')
  })
})

it('registrations are the destinations that apps registered, with the names of the apps for the operator', async () => {
  const { api, browser, openAs } = await withDestination()
  const app = await openAs(['destinations.read', 'destinations.write'])
  const id = 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'
  const settings = aDestination({ name: 'app', kinds: ['payment'], url: 'https://app.example/in' })
  await api.store.registerDestination(settings, { id, owner: app.id }, NOON)
  const shown = textIn((await browser.get('/ui/registrations')).body)
  expect(shown).toMatch(new RegExp(`app person-2 ${app.id} payment active 0 https://app.example/in `))
  expect(shown).not.toContain('books')
  expect(textIn((await app.get('/ui/registrations')).body)).toContain(`app ${app.id} payment`)
  expect(textIn((await browser.get('/ui/registrations?name=nothing')).body)).toContain('No destination matches.')
})

it('the operator registers an address for an app, and the app then sees it', async () => {
  const { api, browser, openAs } = await startPages()
  const [list, form] = ['/ui/registrations', '/ui/registrations/new']
  expect(textIn((await browser.get(form)).body)).toContain('There is no client of an app yet.')
  const app = await openAs(['destinations.read', 'operations.read'])
  expect((await browser.get(list)).body).toContain(`href="${form}"`)
  const fields = { client: app.id, kind: 'payment', url: 'https://app.example/in?key=s3cret', reason: 'asked' }
  const made = await submitted(browser, form, form, fields)
  expect([made.location, made.flash]).toEqual([ONE, expect.stringMatching(/^good: payment-\w+ is registered\.$/)])
  expect(await api.store.listDestinations()).toMatchObject([{ owner: app.id, origin: 'registration', url: fields.url }])
  expect((await api.store.listActions({}, 9)).actions).toMatchObject([{ action: 'registerForApp', reason: 'asked' }])
  const twice = await browser.submit(form, form, fields)
  expect([twice.status, twice.body.includes(`value="${fields.url}"`)]).toEqual([409, true])
  const seen = await app.get(list)
  expect([seen.body.includes('key=***'), seen.body.includes(form)]).toEqual([true, false])
  expect((await app.get(form)).status).toBe(403)
  await app.submit(list, form, { ...fields, url: 'https://app.example/other' })
  expect(await api.store.listDestinations()).toHaveLength(1)
  expect((await browser.get(ONE)).body).toContain('name="origin" value="registration"')
  expect((await submitted(browser, ONE, `${ONE}/delete`, { origin: 'registration' })).location).toBe(list)
  expect(await api.store.listDestinations()).toEqual([])
})

it('speaks Portuguese', async () => {
  const { browser } = await withDestination()
  const { body } = await browser.get(ONE, { 'accept-language': 'pt-BR' })
  expect(textIn(body)).toMatch(/Destinos Destino books .*Entregas para este destino .*Pausar .*Tempo limite \d+ s/)
  expect(body).toContain('<html lang="pt-BR">')
})
