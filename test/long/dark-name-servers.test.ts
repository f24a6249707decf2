import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { callApi, callBack, keepAliveAgent } from '../support/calls.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { createSite, type SpawnedGateway, spawnGateway, type TestSite } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const DARK = 20
const ROUNDS = 5
/** While the disk of a busy machine is slow for a minute, more rounds tell what is slow by itself. */
const MOST_ROUNDS = 15
/** In each round and variant, so many apart. */
const CALLBACKS = 100
const APART_MS = 25
const MOST = 1.5
/** Beside another campaign a p99 of ten milliseconds moves by as much; a name server that is waited for costs seconds. */
const NOISE_MS = 25
/** Where the name server listens that the gateways' resolv.conf names; resolv.conf has no ports. */
const NAME_SERVER = '127.53.0.1'

const canBind = process.platform === 'linux' && process.getuid?.() === 0 && runsInOwnMounts('true', '/dev/null')

/** A command whose resolv.conf is another file. */
function inOwnMounts(resolvConf: string): string[] {
  return ['unshare', '--mount', 'sh', '-c', `mount --bind '${resolvConf}' /etc/resolv.conf && exec "$@"`, 'sh']
}

function runsInOwnMounts(command: string, file: string): boolean {
  const [program = '', ...args] = [...inOwnMounts(file), command]
  return spawnSync(program, args).status === 0
}

/** Takes every delivery, each on a connection of its own, so that each needs the name. */
async function startGoodReceiver() {
  const arrivals = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const arrivedAt = performance.now()
    const { identificador } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { identificador: string }
    arrivals.set(identificador, arrivedAt)
    response.writeHead(200, { connection: 'close' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { arrivals, port: (server.address() as AddressInfo).port }
}

it.skipIf(!canBind)(
  '20 destinations with silent name servers leave the deliveries of another one as fast (needs root and mount)',
  async () => {
    const dark = Array.from({ length: DARK }, (_, i) => `dark-${i}.test`)
    const names = Object.fromEntries(dark.map((name) => [name, { silent: 'all' as const }]))
    await startDnsServer(
      { ...names, 'good.test': { addresses: ['127.0.0.1'], ttl: 0 } },
      { address: NAME_SERVER, port: 53 },
    )
    const { arrivals, port } = await startGoodReceiver()
    const alone = await startVariant([`http://good.test:${port}/`])
    const beside = await startVariant([`http://good.test:${port}/`, ...dark.map((name) => `http://${name}:${port}/`)])

    const rounds: Round[] = []
    const ratio = () => Math.min(ratioOfBest(rounds), medianRatio(rounds))
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (round >= ROUNDS && ratio() <= MOST) break
      const first = await p99(round % 2 === 0 ? alone : beside, arrivals, `${round}-1`)
      const second = await p99(round % 2 === 0 ? beside : alone, arrivals, `${round}-2`)
      rounds.push(round % 2 === 0 ? { alone: first, beside: second } : { alone: second, beside: first })
    }
    const words = `p99 in ms, by round: ${JSON.stringify(rounds)}`
    expect(ratio(), words).toBeLessThanOrEqual(MOST)

    const { body } = await callApi(beside.api, '/v1/deliveries?limit=1000')
    const failures = (JSON.parse(body) as { data: { destination: string; lastError: string | null }[] }).data
    expect(new Set(failures.flatMap(({ lastError }) => lastError ?? []))).toEqual(
      new Set(['the name servers did not answer within 5 s']),
    )
  },
)

/** p99 of each variant, in ms. */
interface Round {
  readonly alone: number
  readonly beside: number
}

/** Whatever else the machine does makes single rounds slow, of either variant. What is slow by itself is slow in every round. */
function ratioOfBest(rounds: readonly Round[]): number {
  const best = (variant: keyof Round) => Math.min(...rounds.map((round) => round[variant]))
  return Math.max(0, best('beside') - NOISE_MS) / best('alone')
}

function medianRatio(rounds: readonly Round[]): number {
  const ratios = rounds.map(({ alone, beside }) => beside / alone).sort((a, b) => a - b)
  return ratios[Math.floor(ratios.length / 2)] as number
}

it.skipIf(!canBind)('name servers that resolv.conf names from now on are asked, without a restart', async () => {
  const resolvConf = join(temporaryFolder(), 'resolv.conf')
  const nameServers = ['127.53.0.2', '127.53.0.3']
  const [before, now] = nameServers.map((address) => `search .\nnameserver ${address}\n`) as [string, string]
  await startDnsServer({}, { address: '127.53.0.2', port: 53 })
  await startDnsServer({ 'moved.test': { addresses: ['127.0.0.1'] } }, { address: '127.53.0.3', port: 53 })
  writeFileSync(resolvConf, before)
  const gateway = await spawnGateway(await createSite(), inOwnMounts(resolvConf))
  const create = () =>
    callApi(gateway.api, '/v1/destinations', { method: 'POST', body: { name: 'moved', url: 'http://moved.test/' } })
  const detail = 'moved.test: the name does not exist; correct the URL, or the name in DNS'
  expect(await create()).toMatchObject({ status: 400, body: expect.stringContaining(detail) })
  writeFileSync(resolvConf, now)
  expect(await create()).toMatchObject({ status: 201 })
})

type Variant = SpawnedGateway & { readonly site: TestSite; readonly agent: ReturnType<typeof keepAliveAgent> }

async function startVariant(urls: readonly string[]): Promise<Variant> {
  const resolvConf = join(temporaryFolder(), 'resolv.conf')
  writeFileSync(resolvConf, `search .\nnameserver ${NAME_SERVER}\n`)
  const site = await createSite({
    forwarding: {
      allowedNetworks: ['127.0.0.0/8'],
      // No circuit opens: all of them look their names up all the time.
      circuit: { failures: 1000, probeInterval: '1s' },
    },
    destinations: urls.map((url, i) => ({ name: `to-${i}`, url })),
  })
  const gateway = await spawnGateway(site, inOwnMounts(resolvConf))
  const agent = keepAliveAgent(site)
  onTestFinished(() => agent.destroy())
  return { ...gateway, site, agent }
}

/** From sending a callback until its delivery arrives. */
async function p99(gateway: Variant, arrivals: ReadonlyMap<string, number>, round: string): Promise<number> {
  const sent = new Map<string, number>()
  const calls: Promise<unknown>[] = []
  for (let i = 0; i < CALLBACKS; i++) {
    const identificador = `${round}-${i}`
    sent.set(identificador, performance.now())
    calls.push(callBack(gateway, { body: JSON.stringify({ identificador }), agent: gateway.agent }))
    await wait(APART_MS)
  }
  await Promise.all(calls)
  await until(
    () => [...sent.keys()].every((id) => arrivals.has(id)),
    (all) => all,
    30_000,
  )
  const times = [...sent].map(([id, at]) => (arrivals.get(id) as number) - at).sort((a, b) => a - b)
  return times[Math.ceil(times.length * 0.99) - 1] as number
}
