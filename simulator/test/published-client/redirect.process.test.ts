import { execFile } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ENVIRONMENTS, type Environment, INTERFACES } from '../../src/interfaces.ts'
import { type Receiver, receiverCaFile, startReceiver } from '../receiver.ts'
import { type RunningSimulator, runSimulator } from '../running.ts'
import { API_OF, type Api, BUILDS, type LoadedBuild, loadBuild, urlOf } from './builds.ts'
import { answeredMethods, surroundingsOf } from './surroundings.ts'

const run = promisify(execFile)
const REDIRECT = resolve(import.meta.dirname, '../../docs/examples/redirect.cjs')
const PROGRAM = join(import.meta.dirname, 'program.ts')

let build: LoadedBuild
let running: RunningSimulator
let receiver: Receiver

/** Host name of an interface, as the client has it. */
const hostOf = (name: (typeof INTERFACES)[number], environment: Environment) =>
  new URL(urlOf(build.apis[API_OF[name]] as Api, environment)).hostname

beforeAll(async () => {
  build = await loadBuild('esm')
  const namesOf = (environment: Environment) =>
    Object.fromEntries(INTERFACES.map((name) => [name, [hostOf(name, environment)]]))
  const hostNames = { sandbox: namesOf('sandbox'), production: namesOf('production') }
  running = await runSimulator({ servicePathSegment: 'gn', hostNames }, { receiverCaFile: receiverCaFile() })
  receiver = await startReceiver({ chain: running.simulator.folder.environments.sandbox.chain })
})
afterAll(() => Promise.all([receiver.stop(), running.stop()]))

it.each(BUILDS)('the %s build makes every call at its own host names, which lead to the simulator', async (name) => {
  const { ports, folder } = running.simulator
  const hosts = ENVIRONMENTS.flatMap((environment) =>
    INTERFACES.map((one) => `${hostOf(one, environment)}=${ports[environment]}`),
  )
  const { stdout } = await run(process.execPath, ['--require', REDIRECT, PROGRAM], {
    env: {
      SIMULATOR_HOSTS: hosts.join(','),
      NODE_EXTRA_CA_CERTS: folder.rootFile,
      BUILD: name,
      SURROUNDINGS: JSON.stringify(surroundingsOf(running, receiver)),
    },
  })
  const { verdict, titles } = JSON.parse(stdout)
  expect(verdict).toEqual({
    methods: (await answeredMethods(running, build)).map(({ method }) => method).sort(),
    wrongRequests: [],
    unparsed: [],
    unused: [],
  })
  expect(titles).toEqual(INTERFACES.flatMap((one) => Array(2).fill(`The service, simulated: ${one}`)))
})

it('other names and other ports stay', async () => {
  const server = createServer((socket) => socket.end('here')).listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const hosts = { SIMULATOR_HOSTS: `shop.example.com=${port}, localhost=1` }
  const connect = (given: string) => `require('node:net').connect(${given}).pipe(process.stdout)`
  for (const given of ["443, 'SHOP.example.com'", `{ host: 'localhost', port: ${port} }`, `${port}`]) {
    const { stdout } = await run(process.execPath, ['--require', REDIRECT, '-e', connect(given)], { env: hosts })
    expect(stdout).toBe('here')
  }
})

it.each([{}, { SIMULATOR_HOSTS: 'shop.example.com' }])('with %j a program does not start', async (env) => {
  const started = run(process.execPath, ['--require', REDIRECT, '-e', 'console.log("started")'], { env })
  await expect(started).rejects.toMatchObject({ stdout: '', stderr: expect.stringContaining('set SIMULATOR_HOSTS') })
})
