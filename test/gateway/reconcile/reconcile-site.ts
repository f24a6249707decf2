import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { type RunningSimulator, runSimulator } from '../../../simulator/test/running.ts'
import { serviceEntry } from '../../cli/service/service-site.ts'
import { callApi } from '../../support/calls.ts'
import { createSite, startTestGateway, type TestGateway, type TestSite } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

/** A simulator, and a gateway that asks it, and that it does not call back. */
export interface ReconcileSite {
  readonly running: RunningSimulator
  readonly site: TestSite
  /** @param others other top-level keys */
  start(reconcile?: object, service?: object, others?: Record<string, unknown>): Promise<TestGateway>
  /** A payment of 50.00, at the simulator. */
  pay(): Promise<string>
}

export async function createReconcileSite(): Promise<ReconcileSite> {
  const site = await createSite()
  const running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
  onTestFinished(() => running.stop())
  // A business day, at noon in São Paulo.
  await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
  return {
    running,
    site,
    async start(reconcile = {}, service = {}, others = {}) {
      const entry = { ...serviceEntry(site, running), reconcile: { every: '1h', ...reconcile }, ...service }
      await createSite({ service: [entry], ...others }, site.folder)
      const gateway = await startTestGateway(site)
      // By schedule the next pass is an hour away.
      await until(() => gateway.lines.some(({ event }) => event === 'reconcile.done'), Boolean, 90_000)
      return gateway
    },
    pay: () => payBill(running, '2026-03-02'),
  }
}

/** A bill of 50.00 that is paid at the simulator. @param day `YYYY-MM-DD`, when it is to be paid @returns the id of the payment */
export async function payBill(running: RunningSimulator, day: string): Promise<string> {
  const { codBarras } = (await running.control('POST', '/bills', { kind: 'tax', amount: 5_000 })).json
  await running.ask('payment', { path: `/v1/codBarras/${codBarras}` })
  const body = { valor: 5_000, dataPagamento: day }
  const paid = await running.ask('payment', { method: 'POST', path: `/v1/codBarras/${codBarras}`, body })
  if (paid.status !== 201) throw new Error(paid.text)
  return paid.json.idPagamento
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are asserted, not typed
export type Json = any

export async function askApi(
  gateway: Pick<TestGateway, 'api'>,
  path: string,
  body?: object,
): Promise<{ status: number; json: Json }> {
  const answer = await callApi(gateway.api, path, body === undefined ? {} : { method: 'POST', body })
  return { status: answer.status, json: answer.body === '' ? null : JSON.parse(answer.body) }
}

export async function expectSubject(gateway: TestGateway, kind: string, subject: string, type?: string): Promise<void> {
  const { status, json } = await askApi(gateway, '/v1/expected', { kind, environment: 'sandbox', subject, type })
  if (status !== 202) throw new Error(`not expected: ${status} ${JSON.stringify(json)}`)
}

/** A run, until it ends. Returns the counts of the sandbox. */
export async function reconcile(gateway: Pick<TestGateway, 'api'>, request: object = {}): Promise<Json> {
  const { json } = await askApi(gateway, '/v1/service/reconcile', request)
  return until(async () => {
    const { run } = (await askApi(gateway, '/v1/service/reconcile')).json
    if (run.id !== json.id || run.state === 'running') return false
    return run.environments.find((one: Json) => one.environment === 'sandbox')
  })
}

export async function eventsOf(gateway: TestGateway, query: string): Promise<Json[]> {
  return (await askApi(gateway, `/v1/events?limit=500&${query}`)).json.data
}

/** Whether the folder of the gateway has the text anywhere in its database. */
export function isInDatabase({ folder }: TestSite, text: string): boolean {
  return ['portaria.db', 'portaria.db-wal'].some((name) => {
    try {
      return readFileSync(join(folder, 'data', name)).includes(text)
    } catch {
      return false
    }
  })
}
