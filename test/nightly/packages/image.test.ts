import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse, stringify } from 'yaml'
import { ROOT } from '../../../src/platform/program-files.ts'
import { VERSION } from '../../../src/platform/version.ts'
import { builtPackages } from '../../support/built-packages.ts'
import {
  buildImage,
  type ContainerOptions,
  canBuildImages,
  type Image,
  type Mounted,
  makeBase,
  runImage,
} from '../../support/image.ts'
import { postgresPrograms, startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const FOLDER = join(ROOT, 'container')
const USER = 10_001

interface Service {
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly init?: boolean
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: readonly string[] }
}

interface Container {
  readonly process: ChildProcess
  /** What it has printed. */
  readonly output: () => string
  readonly ended: Promise<number | null>
}

const { services } = parse(readFileSync(join(FOLDER, 'compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
}
const work = mkdtempSync(join(tmpdir(), 'portaria-image-'))
let image: Image
/** Of the service `machine`. */
let network: ChildProcess
let running: Record<string, Container> = {}
/** In every container, beside the volumes of compose.yaml. */
let beside: readonly Mounted[] = []

beforeAll(async () => {
  if (!canBuildImages) return
  const [dist] = await Promise.all([builtPackages(), makeBase(work)])
  image = buildImage(work, dist)
  network = spawn('unshare', ['--net', 'sh', '-euc', 'ip link set lo up; echo up; exec sleep infinity'])
  await once(network.stdout as NodeJS.EventEmitter, 'data')
}, 1_200_000)

afterAll(async () => {
  for (const { process } of Object.values(running)) process.kill('SIGKILL')
  network?.kill()
  rmSync(work, { recursive: true, force: true })
})

/** As an engine makes it at its first use: with owner, mode and contents of the image's folder. */
function volume(name: string, target: string): string {
  const folder = join(work, 'volumes', name)
  if (existsSync(folder)) return folder
  mkdirSync(join(work, 'volumes'), { recursive: true })
  if (existsSync(join(image.root, target))) execFileSync('cp', ['-a', join(image.root, target), folder])
  else mkdirSync(folder)
  chownSync(folder, USER, USER)
  return folder
}

function mountsOf({ volumes = [] }: Service): Mounted[] {
  const own = volumes.map((line) => {
    const [from = '', target = '', mode] = line.split(':')
    const source = from.startsWith('.') ? join(FOLDER, from) : volume(from, target)
    return { source, target, isWritable: mode !== 'ro' }
  })
  return [...own, ...beside]
}

function run(options: Omit<ContainerOptions, 'network'>): Container {
  const process = runImage(image, { ...options, network: network.pid as number })
  let printed = ''
  for (const stream of [process.stdout, process.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  return { process, output: () => printed, ended: once(process, 'close').then(([code]) => code as number | null) }
}

/** A command in a container with the volumes of a service. */
async function commandIn(name: string, command: readonly string[], entrypoint?: readonly string[]) {
  const { output, ended } = run({ mounts: mountsOf(service(name)), command, entrypoint })
  return { code: await ended, output: output() }
}

function service(name: string): Service {
  const found = services[name]
  if (found === undefined) throw new Error(`compose.yaml has no service ${name}`)
  return found
}

/** Starts a service, once what it depends on is as compose.yaml says. @param own what the service's own image would have */
async function up(name: string, own: Partial<ContainerOptions> = {}): Promise<Container> {
  for (const [other, { condition }] of Object.entries(service(name).depends_on ?? {})) {
    const container = running[other] ?? (await up(other))
    if (condition === 'service_completed_successfully') expect(await container.ended, container.output()).toBe(0)
    else await until(() => isHealthy(other), Boolean, 60_000)
  }
  const mounts = [...mountsOf(service(name)), ...(own.mounts ?? [])]
  const container = run({ ...service(name), ...own, mounts })
  running = { ...running, [name]: container }
  return container
}

async function isHealthy(name: string): Promise<boolean> {
  const [, ...command] = service(name).healthcheck?.test ?? image.config.Healthcheck.Test
  return (await commandIn(name, [], command)).code === 0
}

/** Stops the first process of each container; where an init would end for it, with SIGKILL. @returns their exit codes */
async function down(): Promise<Record<string, number | null>> {
  const codes: Record<string, number | null> = {}
  for (const [name, { process, ended }] of Object.entries(running).reverse()) {
    const { pid } = process
    if (process.exitCode === null) {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      execFileSync('kill', [service(name).init === true ? '-KILL' : '-TERM', ...children])
    }
    codes[name] = await ended
  }
  running = {}
  return codes
}

const PAYMENT = '{"identificador":"77","valor":"150.10"}'

async function received(text: string): Promise<string> {
  const receiver = running.receiver as Container
  return until(receiver.output, (output) => output.includes(text))
}

async function paymentsListed(): Promise<string> {
  const { code, output } = await commandIn('gateway', ['events', 'list', '--kind', 'payment', '--json'])
  expect(code, output).toBe(0)
  return output
}

describe.skipIf(!canBuildImages)('the image', () => {
  it('has a numeric user, volumes, and a program that knows that it is in a container', async () => {
    expect(image.config).toMatchObject({ User: `${USER}:${USER}`, Volumes: { '/data': {}, '/etc/portaria': {} } })
    const version = await commandIn('gateway', ['version', '--verbose', '--json'])
    expect(JSON.parse(version.output)).toMatchObject({ version: VERSION, installed: 'container' })
    const rights = await commandIn(
      'gateway',
      [],
      ['sh', '-c', 'id -u; ! touch /usr/lib/portaria/x; grep CapBnd /proc/self/status'],
    )
    expect(rights.output).toMatch(/^10001\n.*: Read-only file system\nCapBnd:\s+0+\n$/)
  })

  it('has what it compiles at its start already', () => {
    const folder = join(image.root, 'usr/lib/portaria/node_modules/.cache/portaria')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(files.length).toBeGreaterThan(10)
    expect(files[0]).toMatch(new RegExp(`-${USER}$`))
  })

  it('refuses a database on a network file system in words', async () => {
    const folder = join(work, 'a share')
    mkdirSync(folder)
    // The system calls it sshfs, and no program serves it.
    const mount =
      'mount --internal-only -t fuse.sshfs -o fd=3,rootmode=40000,user_id=0,group_id=0 host:/share "$0" 3<>/dev/fuse'
    execFileSync('sh', ['-c', mount, folder])
    onTestFinished(() => void spawnSync('umount', ['--lazy', folder]))
    await (await up('setup')).ended
    const data = { source: folder, target: '/data', isWritable: true }
    const { ended, output } = run({ mounts: [...mountsOf(service('gateway')), data] })
    expect([await ended, output()]).toEqual([
      1,
      expect.stringContaining('/data is on a network file system (fuse.sshfs)'),
    ])
  })
})

describe.skipIf(!canBuildImages)('compose.yaml, without an engine', () => {
  it('the service calls through the gateway to the receiver, also after down and up with the same volumes', async () => {
    await up('receiver')
    const connect = await up('connect')
    expect(await connect.ended, connect.output()).toBe(0)
    const output = await received(PAYMENT)
    expect(output).toMatch(/^genuine evt_/m)
    const before = await paymentsListed()
    expect(before).toContain('"subject":"77"')
    expect(await commandIn('gateway', ['check'])).toMatchObject({ code: 0 })

    expect(await down()).toMatchObject({ gateway: 0, simulator: 0 })
    await up('receiver')
    const again = await up('connect')
    expect([await again.ended, again.output()]).toEqual([0, ''])
    expect(await paymentsListed()).toBe(before)
    const text = PAYMENT.replace('77', '78')
    const sent = await commandIn('simulator', [
      'simulator',
      'ctl',
      'send-callback',
      '--interface',
      'payment',
      '--text',
      text,
    ])
    expect(sent.code, sent.output).toBe(0)
    await received(text)
  })

  it.skipIf(postgresPrograms() === null)('the same on PostgreSQL', async () => {
    await down()
    rmSync(join(work, 'volumes'), { recursive: true })
    const server = await startPostgres()
    onTestFinished(async () => {
      await down()
      rmSync(join(work, 'volumes'), { recursive: true })
      beside = []
      await server.stop()
    })
    // Its socket is in the folder.
    chmodSync(server.folder, 0o755)
    beside = [{ source: server.folder, target: '/run/postgres', isWritable: true }]
    const setup = await up('setup')
    expect(await setup.ended, setup.output()).toBe(0)
    const folder = mountsOf(service('gateway')).find(({ target }) => target === '/etc/portaria')?.source ?? ''
    const file = join(folder, 'portaria.yaml')
    const url = (await server.createDatabase()).replace(/host=.*/, `host=${encodeURIComponent('/run/postgres')}`)
    const configuration = { ...parse(readFileSync(file, 'utf8')), storage: { url }, node: { folder: '/data' } }
    writeFileSync(file, stringify(configuration))

    await up('receiver')
    const connect = await up('connect')
    expect(await connect.ended, connect.output()).toBe(0)
    expect(await received(PAYMENT)).toMatch(/^genuine evt_/m)
    expect(await paymentsListed()).toContain('"subject":"77"')
    expect(await server.query('select count(*)::int as events from events', url.match(/test_\d+/)?.[0])).not.toEqual([
      { events: 0 },
    ])
  })

  it('Prometheus finds the gateway, and has its alerts (Prometheus)', async () => {
    if (running.gateway === undefined) await up('gateway')
    const program = execFileSync('sh', ['-c', 'command -v prometheus'], { encoding: 'utf8' }).trim()
    const own = ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus']
    const mounts = [{ source: program, target: '/usr/bin/prometheus', isWritable: false }]
    await up('prometheus', { entrypoint: ['prometheus'], command: own, mounts })
    const query = (path: string) => {
      const curl = ['curl', '--silent', `http://localhost:9090/api/v1/${path}`]
      return spawnSync('nsenter', [`--net=/proc/${network.pid}/ns/net`, ...curl], { encoding: 'utf8' }).stdout
    }
    await until(
      () => query('query?query=portaria_ready'),
      (answer) => /"value":\[[\d.]+,"1"\]/.test(answer),
    )
    expect(query('rules')).toContain('PortariaCallbackRefused')
  })

  it('of the simulator makes what a receiver has to trust, and starts', async () => {
    const simulator = buildImage(work, await builtPackages(), 'portaria-simulator')
    expect(simulator.config).toMatchObject({ User: `${USER}:${USER}`, Volumes: { '/data': {} } })
    const source = join(work, 'simulator-data')
    mkdirSync(source)
    chownSync(source, USER, USER)
    const options = {
      network: network.pid as number,
      mounts: [{ source, target: '/data', isWritable: true }],
      environment: { XDG_STATE_HOME: '/data' },
    }
    const chain = runImage(simulator, { ...options, command: ['conformance', 'chain', '--folder', '/data/chains'] })
    expect(await once(chain, 'close')).toEqual([0, null])
    expect(readdirSync(join(source, 'chains'))).toContain('conformance-production.pem')
    const service = runImage(simulator, options)
    const [printed] = await once(service.stdout as NodeJS.EventEmitter, 'data')
    expect(String(printed)).toMatch(/^The service, simulated: .* NEVER FOR PRODUCTION/)
    service.kill('SIGKILL')
  })
})
