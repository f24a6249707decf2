import { expect, it, onTestFinished } from 'vitest'
import { receiverCaFile } from '../../../simulator/test/receiver.ts'
import { runSimulator } from '../../../simulator/test/running.ts'
import { portaria } from '../../cli/program.ts'
import { serviceEntry } from '../../cli/service/service-site.ts'
import { askApi, payBill } from '../../gateway/reconcile/reconcile-site.ts'
import { allEvents } from '../../support/calls.ts'
import { createSite, type SpawnedGateway, spawnGateway } from '../../support/gateway.ts'
import { postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const PAYMENTS = 12
const BUDGET = 8

it.skipIf(postgresPrograms() === null)(
  'of two nodes one asks, the other refuses to; when it dies the other asks, within the one budget of the day',
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const running = await runSimulator({}, { receiverCaFile: receiverCaFile() })
    onTestFinished(() => running.stop())
    await running.control('PUT', '/clock', { now: '2026-03-02T15:00:00Z', frozen: true })
    const url = await server.createDatabase()

    async function startNode(name: string): Promise<SpawnedGateway & { readonly site: object }> {
      const site = await createSite()
      const entry = { ...serviceEntry(site, running), reconcile: { every: '1h' }, dailyBudgets: { payment: BUDGET } }
      await createSite({ storage: { url }, node: { name, folder: 'data' }, service: [entry] }, site.folder)
      return Object.assign(await spawnGateway(site), { site })
    }
    const nodes = [await startNode('one'), await startNode('other')] as const
    const ids: string[] = []
    for (let count = 0; count < PAYMENTS; count++) ids.push(await payBill(running, '2026-03-02'))
    for (const subject of ids) {
      const { status } = await askApi(nodes[0], '/v1/expected', { kind: 'payment', environment: 'sandbox', subject })
      expect(status).toBe(202)
    }

    const start = async (node: SpawnedGateway) => (await askApi(node, '/v1/service/reconcile', {})).status
    const statuses = await until(
      () => Promise.all(nodes.map(start)),
      (answers) => answers.includes(202),
    )
    expect(statuses.toSorted()).toEqual([202, 409])
    const [holder, waiting] = statuses[0] === 202 ? nodes : [nodes[1], nodes[0]]
    const refused = await portaria(waiting.site as Parameters<typeof portaria>[0], 'service', 'reconcile')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('node') })

    const runOf = (node: SpawnedGateway) =>
      until(
        async () => (await askApi(node, '/v1/service/reconcile')).json.run,
        ({ state }) => state !== 'running',
      )
    const stored = async (node: SpawnedGateway) =>
      (await allEvents(node.api)).filter(({ kind }) => kind === 'payment').map(({ subject }) => subject)
    const [first] = (await runOf(holder)).environments
    expect(first.left).toBeGreaterThan(0)
    const before = await stored(holder)
    expect(before.length).toBeGreaterThan(0)
    expect(before.length).toBeLessThan(BUDGET)

    holder.process.kill('SIGKILL')
    await holder.exited
    await until(
      () => start(waiting),
      (status) => status === 202,
    )
    expect((await runOf(waiting)).environments).toMatchObject([{ asked: 0, found: 0, failed: 0 }])
    expect(await stored(waiting)).toEqual(before)
  },
)
