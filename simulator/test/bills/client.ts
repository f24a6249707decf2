import { afterAll, beforeAll, beforeEach } from 'vitest'
import { instantOf } from '../../src/rules/local-time.ts'
import type { Site } from '../../src/site.ts'
import { type Answer, type RunningSimulator, runSimulator } from '../running.ts'

/** What the tests of bills do, in the sandbox, as its first account. */
export interface Client {
  readonly running: RunningSimulator
  readonly site: Site
  /** Number of the account. */
  readonly account: string
  /** Freezes the clock at a local time of São Paulo, `YYYY-MM-DD HH:MM:SS`. */
  at(local: string): Promise<void>
  advance(by: string): Promise<void>
  /** A billet of 100.00 that is due on Monday, 9 March 2026; its barcode. */
  billet(terms?: object): Promise<string>
  /** A tax of 50.00; its barcode. */
  tax(terms?: object): Promise<string>
  patch(code: string, terms: object): Promise<Answer>
  show(code: string): Promise<Answer>
  /** Without asking for the detail first. */
  payOnly(code: string, body: unknown): Promise<Answer>
  /** Today, the amount being 10000 unless given. */
  pay(code: string, body?: { valor?: number; dataPagamento?: string; descricao?: string }): Promise<Answer>
  payment(id: string): Promise<Answer>
  /** Moves the payment by the control API. */
  move(id: string, how: 'cancel' | 'fail' | 'settle', body?: object): Promise<Answer>
}

/** Monday noon. */
export const MONDAY = '2026-03-02'

/** Starts a simulator for the tests of a file; each of them begins on Monday noon with empty records. */
export function clientForFile(
  settings: Record<string, unknown> = {},
  options: { receiverCaFile?: string } = {},
): Client {
  let running: RunningSimulator
  let today = MONDAY
  const control = (method: string, path: string, body?: unknown) => running.control(method, path, body)
  async function made(body: object): Promise<string> {
    const { status, json, text } = await control('POST', '/bills', body)
    if (status !== 201) throw new Error(`no bill: ${status} ${text}`)
    return json.codBarras
  }
  const client: Client = {
    get running() {
      return running
    },
    get site() {
      return running.simulator.sites.sandbox
    },
    get account() {
      return client.site.applications.list()[0]?.account ?? ''
    },
    async at(local) {
      const [date = '', time = ''] = local.split(' ')
      today = date
      const now = new Date(instantOf(date, time, 'America/Sao_Paulo')).toISOString()
      await control('PUT', '/clock', { now, frozen: true })
    },
    async advance(by) {
      await control('POST', '/clock/advance', { by })
    },
    billet: (terms = {}) => made({ kind: 'billet', amount: 10_000, dueDate: '2026-03-09', ...terms }),
    tax: (terms = {}) => made({ kind: 'tax', amount: 5_000, ...terms }),
    patch: (code, terms) => control('PATCH', `/bills/${code}`, terms),
    show: (code) => running.ask('payment', { path: `/v1/codBarras/${code}` }),
    payOnly: (code, body) => running.ask('payment', { method: 'POST', path: `/v1/codBarras/${code}`, body }),
    async pay(code, body = {}) {
      await client.show(code)
      return client.payOnly(code, { valor: 10_000, dataPagamento: today, ...body })
    },
    payment: (id) => running.ask('payment', { path: `/v1/${id}` }),
    move: (id, how, body) => control('POST', `/payments/${id}/${how}`, body),
  }
  beforeAll(async () => {
    running = await runSimulator(settings, options)
  })
  beforeEach(async () => {
    client.site.records.clear()
    await client.at(`${MONDAY} 12:00:00`)
  })
  afterAll(() => running.stop())
  return client
}
