import { onTestFinished } from 'vitest'
import { createApiApp } from '../../src/api/app.ts'
import { startApiListener } from '../../src/api/listening/listener.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { openPages } from '../../src/gateway/pages.ts'
import { type ApiChanges, startApi } from '../api/api.ts'
import { type LogLine, OPERATOR_TOKEN, recordingLog } from '../support/gateway.ts'
import { TestBrowser } from './browser.ts'

const LIMITS = {
  headersBytes: 16_384,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  maxConnections: 2000,
  connectionsPerAddress: 2000,
}

const CONFIG = {
  api: { pages: { idleEndMs: 1_800_000 } },
  callbacks: { kinds: [{ name: 'payment' }] },
}

/** The pages over the API and a real store, without a gateway: nothing is forwarded. `browser` is signed in as the operator. */
export async function startPages({ institutions = [], ...changes }: ApiChanges & { institutions?: string[] } = {}) {
  const api = await startApi(changes)
  const { tokens, scopeNames } = api.options.identity
  const lines: LogLine[] = []
  const log = recordingLog(lines)
  const pages = openPages({ ...CONFIG, institutions: institutions.map((name) => ({ name })) } as never, {
    clients: api.clients,
    tokens,
    scopeNames,
    operatorToken: OPERATOR_TOKEN,
    log,
    onRefused: () => undefined,
    now: Date.now,
    api: () => createApiApp({ ...api.options, channel: 'page' }),
  })
  if (pages === null) throw new Error('the pages are left out')
  const listener = await startApiListener(createApiApp({ ...api.options, pages: pages.serve }).serve, {
    host: '127.0.0.1',
    port: 0,
    tls: null,
    limits: LIMITS,
    proxyProtocol: [],
    isOwn: () => false,
    onRefused: () => undefined,
  })
  onTestFinished(async () => {
    pages.close()
    await listener.stop()
  })
  const open = async (credentials?: { id: string; secret: string }) => {
    const browser = new TestBrowser({ api: { host: '127.0.0.1', port: listener.port } })
    const { status } = await browser.signIn(credentials)
    if (status !== 303) throw new Error(`the sign-in was answered ${status}`)
    return browser
  }
  return {
    api,
    /** Of the pages; those of the API are in `api`. */
    lines,
    close: pages.close,
    browser: await open(),
    /** Signed in with an id and a secret. */
    open,
    /** Signed in as a new client with these scopes. */
    async openAs(scopes: readonly Scope[]) {
      const { client, secret } = await api.clients.create({
        name: `person-${scopes.length}`,
        environment: 'any',
        scopes,
      })
      return Object.assign(await open({ id: client.id, secret }), { id: client.id })
    },
  }
}

/** Follows a form's redirect: the page with its message. */
export async function submitted(
  browser: TestBrowser,
  page: string,
  action: string,
  fields: Record<string, string> = {},
) {
  const answer = await browser.submit(page, action, fields)
  if (answer.status !== 303) throw new Error(`the form was answered ${answer.status}: ${answer.body}`)
  const shown = await browser.get(String(answer.headers.location))
  return { ...shown, location: answer.headers.location, flash: flashIn(shown.body) }
}

/** The message of the last form; null: none. */
export function flashIn(body: string): string | null {
  const [, tone, text = ''] = /<p class="flash (good|bad)" role="\w+">(.*?)<\/p>/s.exec(body) ?? []
  return tone === undefined ? null : `${tone}: ${decoded(text.replaceAll(/<[^>]*>/g, ''))}`
}

/** The text of a page's `main`, without tags, with one space between words. */
export function textIn(body: string): string {
  const main = body.slice(body.indexOf('<main'), body.indexOf('</main>'))
  // Neither a place where a line may end nor the two parts of a long id divide a word.
  const whole = main.replaceAll('<wbr>', '').replaceAll(/(<span class="id cut"[^>]*>)<span>([^<]*)<\/span>/g, '$1$2')
  return decoded(whole.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** Markup that does harm where it is not escaped. */
export const MARKUP = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`

/** Of 150,000 bytes, of which styles and modules take 28,000. */
export const PAGE_BYTES = 122_000
