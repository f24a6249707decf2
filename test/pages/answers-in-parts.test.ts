import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { aCallback, aFact } from '../support/builders.ts'
import { until } from '../support/until.ts'
import { ask } from '../api/api.ts'
import { startPages } from './api-pages.ts'
import { formTokenIn, type TestBrowser } from './browser.ts'

type Pages = Awaited<ReturnType<typeof startPages>>

/** More than one part has, in a file and in a stream. */
const EVENTS = 900
const LONG = 'x'.repeat(400)

/** A store whose reads of events wait, from the second one behind `begin` on, until the test opens the gate. */
function gatedStore() {
  const gate = Promise.withResolvers<void>()
  let [store, reads]: [Store | undefined, number] = [undefined, Number.NEGATIVE_INFINITY]
  return {
    gate,
    reads: () => reads,
    use: (real: Store) => (store = real),
    begin: () => (reads = 0),
    listEvents: (async (...asked) => {
      if (++reads > 1) await gate.promise
      return (store as Store).listEvents(...asked)
    }) satisfies Store['listEvents'],
  }
}

async function storeEvents({ api }: Pages): Promise<void> {
  const facts = Array.from({ length: EVENTS }, (_, n) => aFact({ subject: `${n}-${LONG}` }))
  await api.store.storeCallback(aCallback({ facts }))
}

/** The head of the answer has come, and its first bytes. */
async function begin(
  browser: TestBrowser,
  path: string,
): Promise<{ answer: IncomingMessage; ended: Promise<string>; closed: Promise<void> }> {
  const sent = request({ host: '127.0.0.1', port: browser.port, path, headers: headersOf(browser), agent: false }).end()
  onTestFinished(() => void sent.destroy())
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const ended = new Promise<string>((resolve) => {
    answer.once('end', () => resolve('whole'))
    answer.once('error', () => resolve('broken off'))
  })
  const closed = new Promise<void>((resolve) => void answer.once('close', resolve))
  await once(answer, 'data')
  answer.resume()
  return { answer, ended, closed }
}

function headersOf(browser: TestBrowser) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { host: `localhost:${browser.port}`, cookie }
}

interface Ending {
  readonly pages: Pages
  readonly browser: TestBrowser & { readonly id: string }
  readonly formToken: string
  readonly answer: IncomingMessage
  readonly gate: PromiseWithResolvers<void>
}

const ENDINGS: Readonly<Record<string, (at: Ending) => unknown>> = {
  'the rights end': ({ pages, browser }) => pages.api.clients.revoke(browser.id),
  'the session ends': ({ browser, formToken: token }) =>
    browser.send('/ui/sign-out', { method: 'POST', form: { token } }),
  'the browser goes away': ({ answer }) => answer.destroy(),
  'the gateway stops': ({ pages }) => {
    pages.close()
    pages.api.streams.close()
  },
  'the store is away': ({ gate }) => gate.reject(new PortariaError('store_unavailable', 'the store is away')),
  'the store fails': ({ gate }) => gate.reject(new TypeError('a fault of the program')),
}

it.each(
  ['/ui/events.csv', '/ui/api/v1/events/stream'].flatMap((path) => Object.keys(ENDINGS).map((name) => [path, name])),
)('%s, of which a part was sent, does not come whole when %s, and others get their answers', async (path, name) => {
  const faults: unknown[] = []
  const onFault = (error: unknown) => void faults.push(error)
  process.on('unhandledRejection', onFault)
  onTestFinished(() => void process.off('unhandledRejection', onFault))
  const { gate, use, listEvents, reads, ...gated } = gatedStore()
  gate.promise.catch(() => undefined)
  const pages = await startPages({ store: { listEvents } })
  use(pages.api.store)
  await storeEvents(pages)
  const browser = await pages.openAs(['support.read', 'events.read'])
  const formToken = formTokenIn((await browser.get('/ui/')).body)
  gated.begin()
  const { answer, ended, closed } = await begin(browser, path)
  await until(() => reads() > 1)

  await ENDINGS[name]?.({ pages, browser, formToken, answer, gate })
  gate.resolve()
  if (name !== 'the browser goes away' && path.endsWith('.csv')) expect(await ended).toBe('broken off')
  await closed
  expect((await ask({ ...pages.api, port: browser.port }, '/healthz')).status).toBe(200)
  expect(faults).toEqual([])
  const logged = pages.lines.concat(pages.api.lines).filter(({ level }) => level === 'error' || level === 'warn')
  expect(logged.map(({ event }) => event)).toEqual(
    LOGGED[`${path.endsWith('.csv') ? 'file' : 'stream'}, ${name}`] ?? [],
  )
})

const LOGGED: Readonly<Record<string, readonly string[]>> = {
  'file, the store is away': ['answer.broken'],
  'file, the store fails': ['answer.broken', 'api.failed'],
  'stream, the store fails': ['api.failed'],
}

/** Asks for files that it does not read. */
async function leaveUnread(browser: TestBrowser, count: number): Promise<Socket> {
  const { host, cookie } = headersOf(browser)
  const socket = connect({ port: browser.port, host: '127.0.0.1' }).pause()
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  socket.write(`GET /ui/events.csv HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`.repeat(count))
  return socket
}

it('files that are not read keep no place from the pages, and end', async () => {
  let store: Store | undefined
  let first: ReturnType<Store['listEvents']> | undefined
  /** The same events again and again. */
  const listEvents: Store['listEvents'] = async (filter, limit) => {
    first ??= (store as Store).listEvents(filter, limit)
    return { ...(await first), more: true }
  }
  const pages = await startPages({ store: { listEvents }, answers: { unreadMs: 1000 } })
  store = pages.api.store
  await storeEvents(pages)
  const readers = [pages.browser, await pages.openAs(['support.read', 'events.read'])]
  const sockets = await Promise.all(
    readers.flatMap((browser) => Array.from({ length: 2 }, () => leaveUnread(browser, 1))),
  )
  const { answers } = pages.api.options
  await until(() => answers.bytes() > 0)
  for (const browser of readers) expect((await browser.get('/ui/')).status).toBe(200)

  await until(() => pages.api.lines.filter(({ event }) => event === 'answer.cut').length === sockets.length)
  expect(answers.bytes()).toBe(0)
})
