import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../src/platform/program-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FOLDER = join(ROOT, 'container')

interface Service {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly network_mode?: string
  readonly depends_on?: Readonly<Record<string, object>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
}

function yamlOf<T>(file: string): T {
  return parse(readFileSync(join(FOLDER, file), 'utf8'), { merge: true }) as T
}

const compose = yamlOf<{ services: Record<string, Service>; volumes: Record<string, null> }>('compose.yaml')
const services = Object.entries(compose.services)

describe('compose.yaml', () => {
  it.each(services)('%s has an image of ours or one of a fixed version', (_, { image, build }) => {
    if (image === 'localhost/portaria') return
    expect([image, build]).toEqual([expect.stringMatching(/^docker\.io\/[\w/-]+:v?\d+(\.\d+)+$/), undefined])
  })

  it('builds our image once', () => {
    const built = services.flatMap(([, { build, image }]) => (build === undefined ? [] : [{ ...build, image }]))
    expect(built).toEqual([
      { image: 'localhost/portaria', context: '../dist', dockerfile: '../container/Containerfile' },
    ])
  })

  it('what runs our image can write to volumes only, and has no capability', () => {
    const ours = services.filter(([, { image }]) => image === 'localhost/portaria')
    expect(ours.length).toBeGreaterThan(4)
    for (const [name, service] of ours) expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  })

  it.each(services)('%s has the network of a service that is there, and waits for such services', (name, service) => {
    const { network_mode = 'service:machine', depends_on = {} } = service
    const others = [network_mode.replace('service:', ''), ...Object.keys(depends_on)]
    expect(others.filter((other) => !(other in compose.services))).toEqual([])
    expect([name, service.network_mode === undefined]).toEqual([name, name === 'machine'])
  })

  it('publishes ports on loopback only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports.length).toBeGreaterThan(2)
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })

  it('mounts volumes that it declares, and files that are there, which it cannot change', () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')))
    const named = mounts.filter(([source = '']) => !source.startsWith('.'))
    expect(new Set(named.map(([source]) => source))).toEqual(new Set(Object.keys(compose.volumes)))
    const files = mounts.filter(([source = '']) => source.startsWith('.'))
    expect(files.filter(([source = '', , mode]) => !existsSync(join(FOLDER, source)) || mode !== 'ro')).toEqual([])
  })
})

it('its nodes have the first configuration, with PostgreSQL and ports of their own', () => {
  const folder = temporaryFolder()
  const etc = join(folder, 'etc')
  const init = spawnSync(join(ROOT, 'bin/portaria'), ['init', etc, '--host-name', 'localhost'], { encoding: 'utf8' })
  expect(init.status, init.stderr).toBe(0)
  const script = readFileSync(join(FOLDER, 'node.sh'), 'utf8').replaceAll('/etc/portaria', etc)
  writeFileSync(join(folder, 'portaria'), '#!/bin/sh\n', { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  expect(spawnSync('sh', ['-c', script, 'sh', '2'], { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  expect(parse(readFileSync(join(etc, 'node-2.yaml'), 'utf8'))).toMatchObject({
    callbacks: { port: 8452, proxyProtocol: ['127.0.0.1'] },
    api: { port: 8082, proxyProtocol: ['127.0.0.1'] },
    storage: { url: 'postgres://portaria@127.0.0.1/portaria' },
    node: { name: 'node-2', folder: '/data/node-2' },
  })
})

it('its haproxy is the documented one, for its two nodes', () => {
  const [script, documented] = [join(FOLDER, 'haproxy.sed'), join(ROOT, 'docs/examples/haproxy.cfg')]
  const { stdout } = spawnSync('sed', ['-f', script, documented], { encoding: 'utf8' })
  const servers = [...stdout.matchAll(/^ {2}server (.*)$/gm)].map(([, server]) => server)
  expect(servers).toEqual([
    'node-1 127.0.0.1:8451 port 8081',
    'node-2 127.0.0.1:8452 port 8082',
    'node-1 127.0.0.1:8081 port 8081',
    'node-2 127.0.0.1:8082 port 8082',
  ])
  expect(stdout).toContain('verifyhost localhost ca-file /etc/portaria/certs/server-ca.crt')
  expect([...stdout.matchAll(/^ {2}bind (.*)$/gm)].map(([, bind]) => bind)).toEqual([':8450', ':8090'])
})

it('Grafana gets the data source, and the folder in which the dashboard is mounted', () => {
  const { datasources } = yamlOf<{ datasources: { type: string; url: string }[] }>('grafana/datasources.yaml')
  expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://localhost:9090' }])
  const { providers } = yamlOf<{ providers: { options: { path: string } }[] }>('grafana/dashboards.yaml')
  expect(compose.services.grafana?.volumes).toContain(
    `../docs/monitoring/dashboard.json:${providers[0]?.options.path}/portaria.json:ro`,
  )
})
