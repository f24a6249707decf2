import { describe, expect, it } from 'vitest'
import { checkDestinationUrl, compileAddressRules } from '../../src/domain/address-rules.ts'
import { aDestination, NOON } from '../support/builders.ts'
import { MARKUP, startPages, submitted, textIn } from './api-pages.ts'

const LIST = '/ui/destinations'
const NEW = `${LIST}/new`
const ONE = `${LIST}/dst_1`
const EDIT = `${ONE}/edit`

const SETTINGS = {
  url: 'https://books.example/hook?key=s3cret',
  name: 'books',
  kinds: 'payment',
  environments: 'sandbox',
  subjects: '4711\r\n4712\r\n',
  prefixes: 'order-',
  authentication: 'mutual-tls',
  format: 'event',
  order: 'subject',
  onExhausted: 'continue',
  timeoutMs: '5000',
  concurrency: '2',
  rateLimit: '10',
  scheduleMs: '0s 30s 5m',
  headers: 'x-team: books\r\nauthorization: Bearer: s3cret',
}

const STORED = {
  url: 'https://books.example/hook?key=s3cret',
  name: 'books',
  kinds: ['payment'],
  environments: ['sandbox'],
  institutions: null,
  subjects: { exact: ['4711', '4712'], prefix: ['order-'] },
  authentication: 'mutual-tls',
  format: 'event',
  order: 'subject',
  onExhausted: 'continue',
  timeoutMs: 5000,
  concurrency: 2,
  rateLimit: 10,
  schedule: [0, 30_000, 300_000],
  headers: [
    ['x-team', 'books'],
    ['authorization', 'Bearer: s3cret'],
  ],
  authorities: null,
}

/** What the form of the page has, as a browser without scripts sends it. */
function fieldsIn(body: string): Record<string, string> {
  const fields: Record<string, string> = {}
  const main = body.slice(body.indexOf('<main'))
  for (const [, name = '', value = ''] of main.matchAll(/<input id="(\w+)"[^>]* value="([^"]*)"/g)) fields[name] = value
  for (const [, name = '', value = ''] of main.matchAll(/<textarea id="(\w+)"[^>]*>\n([^<]*)</g)) fields[name] = value
  for (const [, name = '', value = ''] of main.matchAll(/name="(\w+)" value="(\w+)" checked/g)) fields[name] = value
  for (const [, name = '', options = ''] of main.matchAll(/<select id="(\w+)"[^>]*>(.*?)<\/select>/gs))
    fields[name] = /value="([^"]*)" selected/.exec(options)?.[1] ?? ''
  return fields
}

describe('a new destination', () => {
  it('has every setting of the form; its secret is shown once', async () => {
    const { api, browser } = await startPages()
    const answer = await browser.submit(NEW, NEW, { ...SETTINGS, reason: 'new books' })
    const [stored] = await api.store.listDestinations()
    expect(stored).toMatchObject(STORED)
    expect([answer.status, answer.headers.location, answer.headers['cache-control']]).toEqual([
      ...[200, undefined, 'no-store'],
    ])
    expect(answer.body).toContain(`value="${stored?.secrets[0]}"`)
    expect((await browser.get(ONE)).body).not.toContain('value="whsec_')
    const { actions } = await api.store.listActions({}, 9)
    expect(actions).toMatchObject([
      { action: 'createDestination', channel: 'page', reason: 'new books', details: { host: 'books.example' } },
    ])
    expect(JSON.stringify([actions, api.lines])).not.toMatch(/s3cret|whsec_/)
  })

  it('signs with the secret that its receiver already has; a wrong one is refused at its field and not shown', async () => {
    const { api, browser } = await startPages()
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const wrong = await browser.submit(NEW, NEW, { ...SETTINGS, secret: 'not-a-s3cret-at-all' })
    expect([wrong.status, wrong.body.includes('id="secret-problem"'), wrong.body.includes('not-a-s3')]).toEqual([
      ...[400, true, false],
    ])
    const answer = await browser.submit(NEW, NEW, { ...SETTINGS, secret })
    expect([answer.status, answer.body.includes(`value="${secret}"`)]).toEqual([200, true])
    expect((await api.store.listDestinations())[0]?.secrets).toEqual([secret])
  })

  it('needs only a URL; the rest has its default', async () => {
    const { api, browser } = await startPages()
    const empty = fieldsIn((await browser.get(NEW)).body)
    await browser.submit(NEW, NEW, { ...empty, url: 'https://books.example/hook' })
    expect(await api.store.listDestinations()).toMatchObject([
      {
        name: 'books.example',
        kinds: null,
        environments: null,
        subjects: null,
        authentication: 'any',
        format: 'original',
        timeoutMs: 15_000,
        concurrency: 8,
        rateLimit: null,
        schedule: null,
        headers: [],
      },
    ])
  })

  it('that is refused stays in the form, with the problems at the fields', async () => {
    const { api, browser } = await startPages()
    const wrong = { name: 'a b', timeoutMs: 'long', scheduleMs: '5 m', headers: 'nonsense', subjects: MARKUP }
    const answer = await browser.submit(NEW, NEW, { ...SETTINGS, ...wrong })
    expect(answer.status).toBe(400)
    const kept = fieldsIn(answer.body)
    expect(kept).toMatchObject({
      url: SETTINGS.url,
      name: 'a b',
      timeoutMs: 'long',
      scheduleMs: '5 m',
      order: 'subject',
    })
    for (const field of ['name', 'timeoutMs', 'scheduleMs']) expect(answer.body).toContain(`id="${field}-problem"`)
    expect(answer.body).not.toMatch(/id="(?:url|kinds)-problem"|<script>alert/)
    expect(await api.store.listDestinations()).toEqual([])
  })

  it.each([
    ['https://10.0.0.1/', 422, 'The gateway does not send to this address.'],
    ['https://books.example/?key=***', 400, 'The URL cannot be used.'],
  ])('at %s is refused at the field of the URL', async (url, status, text) => {
    const checkUrl = async (given: string) => checkDestinationUrl(given, compileAddressRules([]))
    const { browser } = await startPages({ checkUrl })
    const answer = await browser.submit(NEW, NEW, { url })
    expect(answer.status).toBe(status)
    expect(answer.body).toContain(`id="url-problem">${text}`)
  })

  it('belongs to the client of the person, for whom the others stay closed', async () => {
    const { api, openAs } = await startPages()
    const writer = await openAs(['destinations.read', 'destinations.write', 'operations.read', 'events.read'])
    await writer.submit(NEW, NEW, { url: 'https://books.example/' })
    expect(await api.store.listDestinations()).toMatchObject([{ owner: writer.id }])
    const reader = await openAs(['destinations.read'])
    expect((await reader.get(NEW)).status).toBe(403)
    expect((await reader.get(LIST)).body).not.toContain(NEW)
    await reader.submit(LIST, NEW, { url: 'https://reader.example/' })
    expect(await api.store.listDestinations()).toHaveLength(1)
  })
})

async function withDestination() {
  const pages = await startPages()
  const { schedule, ...settings } = STORED
  await pages.api.store.createDestination(
    aDestination({
      ...settings,
      schedule,
      headers: [
        ['x-team', 'books'],
        ['x-old', 's3cret'],
      ],
    } as never),
    NOON,
  )
  return pages
}

describe('a destination is changed', () => {
  it('only where the form differs, which the log of actions names', async () => {
    const { api, browser } = await withDestination()
    const fields = fieldsIn((await browser.get(EDIT)).body)
    expect(fields).toMatchObject({ url: SETTINGS.url, scheduleMs: '0ms 30s 5m', subjects: '4711\n4712', headers: '' })
    const same = await submitted(browser, EDIT, EDIT, fields)
    expect(same.flash).toBe('good: Nothing was changed: books has these settings.')
    expect((await api.store.listActions({}, 9)).actions).toEqual([])
    const changes = {
      timeoutMs: '',
      subjects: '',
      prefixes: '',
      headers: 'x-new: 1',
      removeHeaders: 'x-old',
      reason: 'slow',
    }
    const changed = await submitted(browser, EDIT, EDIT, { ...fields, ...changes })
    expect([changed.flash, changed.location]).toEqual(['good: books is changed.', ONE])
    expect(await api.store.listDestinations()).toMatchObject([
      {
        ...STORED,
        subjects: null,
        timeoutMs: 15_000,
        headers: [
          ['x-team', 'books'],
          ['x-new', '1'],
        ],
      },
    ])
    const { actions } = await api.store.listActions({}, 9)
    expect(actions).toMatchObject([
      {
        action: 'changeDestination',
        target: 'dst_1',
        reason: 'slow',
        details: { changed: 'subjects timeoutMs headers' },
      },
    ])
  })

  it('and keeps what was typed if it is refused', async () => {
    const { api, browser } = await withDestination()
    await api.store.createDestination(aDestination({ name: 'shop' }), NOON)
    const fields = fieldsIn((await browser.get(EDIT)).body)
    const taken = await browser.submit(EDIT, EDIT, { ...fields, name: 'shop' })
    expect([taken.status, fieldsIn(taken.body).name]).toEqual([409, 'shop'])
    expect(textIn(taken.body)).toContain('the name is taken')
    const wrong = await browser.submit(EDIT, EDIT, { ...fields, concurrency: '1000' })
    expect(wrong.body).toContain('id="concurrency-problem"')
    expect((await api.store.listDestinations())[0]).toMatchObject({ name: 'books', concurrency: 2 })
  })

  it('not by who may not: the page has no fields, and the URL is masked', async () => {
    const { api, openAs } = await withDestination()
    const writer = await openAs(['destinations.read', 'destinations.write', 'operations.read'])
    const { status, body } = await writer.get(EDIT)
    expect([status, body.includes('s3cret'), body.includes('id="url"')]).toEqual([200, false, false])
    expect(textIn(body)).toContain('It belongs to another client')
    await writer.submit(LIST, EDIT, { url: 'https://writer.example/' })
    await writer.submit(LIST, `${ONE}/delete`)
    expect(await api.store.listDestinations()).toMatchObject([{ url: SETTINGS.url, state: 'active' }])
  })

  it('or deleted, with a reason', async () => {
    const { api, browser } = await withDestination()
    const { body } = await browser.get(ONE)
    expect(body).toMatch(/<details class="card danger"><summary>Delete/)
    const gone = await submitted(browser, ONE, `${ONE}/delete`, { name: 'books', reason: 'sold' })
    expect([gone.flash, gone.location]).toEqual(['good: books is deleted.', LIST])
    expect(await api.store.listDestinations()).toEqual([])
    expect((await api.store.listActions({}, 9)).actions).toMatchObject([
      { action: 'deleteDestination', reason: 'sold' },
    ])
  })

  it('not where the configuration file has it', async () => {
    const { api, browser } = await startPages()
    await api.store.syncDestinations([aDestination()], NOON)
    const { body } = await browser.get(EDIT)
    expect([body.includes('id="url"'), textIn(body).includes('in the configuration file')]).toEqual([false, true])
  })
})
