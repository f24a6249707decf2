import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { linesOf, portaria } from '../cli/program.ts'
import { allEvents, callApi } from '../support/calls.ts'
import {
  BASE_CALLBACKS,
  createSite,
  type SpawnedGateway,
  serviceCredentials,
  spawnGateway,
} from '../support/gateway.ts'
import { hasHaproxy, startHaproxy } from '../support/haproxy.ts'
import { hasNginxStream, installNginx } from '../support/nginx.ts'
import { reservePorts } from '../support/ports.ts'
import { recipesOf } from '../support/recipes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const CALLERS = Array.from({ length: 20 }, (_, index) => `127.0.1.${index + 1}`)

interface Caller {
  readonly port: number
  /** Default: the first of CALLERS. */
  readonly from?: string
  readonly credentials: ReturnType<typeof serviceCredentials>
  /** Empty: it sends none. */
  readonly servername: string
}

/** A callback whose body names its caller. @returns status and body of the answer */
function call({ port, from = CALLERS[0] as string, credentials, servername }: Caller): Promise<[number, string]> {
  const host = from.includes(':') ? '::1' : '127.0.0.1'
  const at = { host, port, localAddress: from, path: '/callbacks/payment', method: 'POST', agent: false }
  // Of the test CA's own certificates; it has none of example.com.
  const checkServerIdentity = () => undefined
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>()
  request({ ...at, ...credentials, servername, checkServerIdentity })
    .on('response', (response) => void text(response).then((body) => resolve([response.statusCode ?? 0, body])))
    .on('error', reject)
    .end(JSON.stringify({ caller: from, servername }))
  return promise
}

/** By what each event's body names: the address that the evidence has. */
async function addressesOf({ api }: SpawnedGateway): Promise<[caller: string, address: string][]> {
  const seen: [string, string][] = []
  for (const { id, data } of await allEvents(api)) {
    const { body } = await callApi(api, `/v1/events/${id}`)
    const { evidence } = JSON.parse(body) as { evidence: { remoteAddress: string } }
    seen.push([(data as { caller: string }).caller, evidence.remoteAddress])
  }
  return seen
}

it.skipIf(!hasNginxStream)(
  'the recipe for nginx shares a port between Portaria and other sites, and all see who calls',
  async () => {
    const [front = 0, callbacks = 0, sites = 0] = await reservePorts(3)
    const site = await createSite({
      callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol: ['127.0.0.1'] },
    })
    const gateway = await spawnGateway(site)
    const values = { '443': front, '8443': callbacks, '4443': sites }
    const [stream = '', listen = ''] = recipesOf('connections.md', 'nginx', values)
    const tls = `ssl_certificate ${site.certs}/server.crt; ssl_certificate_key ${site.certs}/server.key;`
    const other = `server { server_name shop.example; ${listen} ${tls} return 200 "shop for $remote_addr"; }`
    await installNginx({ folder: temporaryFolder(), stream, sites: other }, front)

    const credentials = serviceCredentials(site)
    const names = ['callbacks.example.com', '']
    const all = [...CALLERS, '::1'].flatMap((from) => names.map((servername) => ({ from, servername })))
    const answers = await Promise.all(all.map((one) => call({ port: front, credentials, ...one })))
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]))
    const visitor = { port: front, credentials, servername: 'shop.example', from: '127.0.1.9' }
    expect(await call(visitor)).toEqual([200, 'shop for 127.0.1.9'])

    const seen = await addressesOf(gateway)
    expect(seen).toHaveLength(all.length)
    expect(seen.filter(([caller, address]) => caller !== address)).toEqual([])
    expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])
  },
)

it.skipIf(!hasHaproxy)('the recipe for haproxy passes callbacks on only while the gateway can store them', async () => {
  const [front = 0, callbacks = 0, api = 0] = await reservePorts(3)
  const options = {
    callbacks: { ...BASE_CALLBACKS, port: callbacks, proxyProtocol: ['127.0.0.1'] },
    api: {
      ...{ host: '127.0.0.1', port: api, operatorTokenFile: 'operator-token' },
      ...{ certificate: 'certs/server.crt', privateKey: 'certs/server.key' },
    },
  }
  const full = await createSite({ ...options, storage: { url: 'sqlite:data/portaria.db', minFreeSpace: '1000000GiB' } })
  const gatewayOnFullDisk = await spawnGateway(full)
  const values = { '443': front, '8443': callbacks, '8080': api, '192.0.2.20': '127.0.0.1' }
  const ofTests = { 'api.example.com': 'localhost', '@system-ca': `${full.certs}/server-ca.crt` }
  const haproxy = await startHaproxy(
    temporaryFolder(),
    recipesOf('connections.md', 'haproxy', { ...values, ...ofTests }),
  )
  const isSeen = (state: string) => until(haproxy.states, ({ 'portaria/gateway': seen }) => seen === state)
  await isSeen('DOWN')
  const credentials = serviceCredentials(full)
  const caller = { port: front, credentials, servername: 'callbacks.example.com', from: '127.0.1.9' }
  await expect(call(caller)).rejects.toThrow()

  gatewayOnFullDisk.process.kill('SIGTERM')
  await gatewayOnFullDisk.exited
  const site = await createSite(options, full.folder)
  const gateway = await spawnGateway(site)
  await isSeen('UP')
  expect((await call(caller))[0]).toBe(200)
  const [event] = linesOf<{ id: string }>(await portaria(site, 'events', 'list', '--json'))
  const shown = await portaria(site, 'events', 'show', event?.id ?? '', '--json')
  expect(JSON.parse(shown.stdout)).toMatchObject({ evidence: { remoteAddress: caller.from } })
  expect(gateway.lines.filter(({ event }) => event === 'caller.refused')).toEqual([])
})
