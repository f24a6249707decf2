import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import type { Answer } from '../../src/api/calls.ts'
import { scopeNames } from '../../src/domain/scopes.ts'
import { createPages } from '../../src/pages/app.ts'
import type { Person } from '../../src/pages/frame/person.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { TestBrowser } from './browser.ts'

let rights: ReturnType<Person['principal']> = { kind: 'operator' }
const PERSON: Person = {
  id: 'operator',
  name: null,
  environment: 'any',
  token: 'token',
  credential: '1',
  principal: () => rights,
}

/** Pages over an API that does what a gateway does only when it fails, with a person who is signed in. */
async function startOver(answer: Answer) {
  const calls = { askAs: () => async () => answer as never, askAt: async () => answer }
  const accountOf = () => ({ add() {}, taken() {}, close() {}, cut() {} })
  const api = { serve: () => undefined, calls, accountOf }
  const lines: LogLine[] = []
  const pages = createPages({
    api,
    kinds: [],
    scopeNames: scopeNames('svc'),
    institutions: [],
    idleEndMs: 60_000,
    now: Date.now,
    log: recordingLog(lines),
    identities: {
      signIn: async () => ({ kind: 'person', person: PERSON }),
      find: async () => PERSON,
      recognized: () => undefined,
      certificateOf: () => null,
    },
  })
  const server = createServer(express().use('/ui', pages.serve))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    pages.close()
    server.close()
  })
  const browser = new TestBrowser({ api: server.address() as AddressInfo & { host: string } })
  await browser.signIn({ id: '', secret: 'x' })
  return { browser, lines }
}

function problem(status: number, detail: string): Answer {
  return { status, json: { status, detail }, text: '' }
}

it('a gateway without its store gets a page that says so and leads back, for pages and for forms', async () => {
  const { browser, lines } = await startOver(problem(503, 'the store is <unavailable>'))
  const page = await browser.get('/ui/')
  expect([page.status, page.body.includes('The gateway has a problem')]).toEqual([503, true])
  expect(page.body).toContain('the store is &lt;unavailable&gt;')
  const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] as string
  const path = '/ui/events/evt_1_0000000000/replay'
  const headers = { referer: `${browser.origin}/ui/events/evt_1_0000000000` }
  const form = await browser.send(path, { method: 'POST', form: { token, destination: 'all' }, headers })
  expect([form.status, form.body.includes('<a href="/ui/events/evt_1_0000000000">Back</a>')]).toEqual([503, true])
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('a person whose rights end while a page is made has no session any more', async () => {
  const { browser } = await startOver(problem(404, 'none'))
  onTestFinished(() => {
    rights = { kind: 'operator' }
  })
  rights = null
  const { headers } = await browser.get('/ui/?search=a')
  expect(headers.location).toBe('/ui/sign-in?next=%2Fui%2F%3Fsearch%3Da&reason=ended')
  expect((await browser.get(headers.location as string)).body).toContain(
    'Your session has ended. Sign in again to continue where you were.',
  )
})

it('an answer that no API gives is a fault: logged, and not shown', async () => {
  const { browser, lines } = await startOver({ status: 200, json: { data: 'secret' }, text: '' })
  const { status, body } = await browser.get('/ui/')
  expect([status, body.includes('secret'), body.includes('The gateway has a problem')]).toEqual([500, false, true])
  expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'page.failed', path: '/ui/' })
})
