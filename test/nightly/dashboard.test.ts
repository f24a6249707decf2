import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { callApi, callBack } from '../support/calls.ts'
import { startProgram } from '../support/foreground-program.ts'
import { hasPromtool } from '../support/metrics.ts'
import { startMonitoredGateway } from '../support/monitored-gateway.ts'
import { reservePort } from '../support/ports.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const DASHBOARD = resolve(import.meta.dirname, '../../docs/monitoring/dashboard.json')

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

it.skipIf(!hasPromtool)('every panel of the dashboard shows numbers of a gateway that Prometheus scrapes', async () => {
  const gateway = await startMonitoredGateway()
  const { api } = gateway
  const query = await startPrometheus(`${api.host}:${api.port}`)
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: readonly Panel[] }
  const queries = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '10s') })),
  )
  expect(queries.length).toBeGreaterThan(20)

  // Traffic goes on: a rate has numbers only while something changes between two scrapes.
  let calls = 0
  async function emptyPanels() {
    const taken = await callBack(gateway, { body: JSON.stringify({ identificador: `call-${++calls}` }) })
    const refused = await callBack(gateway, { path: '/callbacks/nowhere' })
    expect([taken.status, refused.status]).toEqual([200, 404])
    const values = await Promise.all(queries.map(({ expr }) => query(expr)))
    return queries.filter((_, index) => !values[index]?.some(Number.isFinite))
  }
  await until(emptyPanels, (empty) => empty.length === 0, 60_000)

  // The numbers are those of the traffic.
  const stored = await until(
    () => query('sum(portaria_callbacks_total{result="stored"})'),
    ([sum = 0]) => sum > 0,
  )
  expect(stored[0]).toBeLessThanOrEqual(calls)
  expect((await callApi(api, '/readyz', { token: null })).status).toBe(200)
})

/** @returns the values of a query now, of each of its series */
async function startPrometheus(target: string): Promise<(expr: string) => Promise<number[]>> {
  const folder = temporaryFolder()
  const port = await reservePort()
  const file = join(folder, 'prometheus.yml')
  const jobs = [{ job_name: 'portaria', static_configs: [{ targets: [target] }] }]
  writeFileSync(file, stringify({ global: { scrape_interval: '1s' }, scrape_configs: jobs }))
  const at = `http://127.0.0.1:${port}`
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, '--log.level=error']
  const stop = await startProgram({
    command: 'prometheus',
    args: [...args, `--web.listen-address=127.0.0.1:${port}`],
    isReady: async () => (await fetch(`${at}/-/ready`).catch(() => null))?.ok === true,
  })
  onTestFinished(stop)
  return async function query(expr) {
    const answer = await fetch(`${at}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) })
    const { status, data } = (await answer.json()) as {
      status: string
      data: { result: { value: [number, string] }[] }
    }
    expect([expr, status]).toEqual([expr, 'success'])
    return data.result.map(({ value: [, text] }) => Number(text))
  }
}
