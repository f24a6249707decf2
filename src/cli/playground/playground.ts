import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Command } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { askJson } from '../demo/ask-json.ts'
import { type Gateway, type Kill, type Simulator, spawnProgram } from '../demo/programs.ts'
import type { LocalSite } from '../demo/site.ts'
import { DemoFailure } from '../demo/waiting.ts'
import { action, printLine, printText } from '../output.ts'
import { writePlaygroundSite } from './site.ts'

interface PlaygroundFlags {
  readonly folder?: string
  readonly anyPorts?: boolean
  readonly json?: boolean
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** After a request to end, and a gateway ends what it began first. */
const END_LIMIT_MS = 10_000
/** Of the simulator; its second port and that of its pages follow. */
const SIMULATOR_PORT = 9443
const CONTROL_PORT = 9445

export function playgroundCommand(): Command {
  return new Command('playground')
    .option('--folder <folder>', 'keep everything in this folder (default: a temporary one, which is removed)')
    .option('--any-ports', 'take any free ports (default: 8443, 8444, 8080 and 9443 to 9445)')
    .option('--json', 'print one JSON object when both have started')
    .action(action(run))
}

async function run(flags: PlaygroundFlags): Promise<void> {
  const ending = new AbortController()
  // Ctrl-C sends the signal to the two programs too, which end by themselves.
  for (const signal of SIGNALS) process.on(signal, () => ending.abort(new DemoFailure(`stopped by ${signal}`)))
  const folder =
    flags.folder === undefined ? mkdtempSync(join(tmpdir(), 'portaria-playground-')) : resolve(flags.folder)
  const kills: Kill[] = []
  const spawning = { signal: ending.signal, onSpawned: (kill: Kill) => void kills.push(kill) }
  function leaveNothing(): void {
    for (const kill of kills) void kill()
    if (flags.folder === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
  process.once('exit', leaveNothing)
  try {
    const site = await writePlaygroundSite(folder, flags.anyPorts === true)
    const simulator = await startSimulator(site, flags, spawning)
    const gateway = await startGateway(site, spawning)
    await introduce(site, simulator, gateway, ending.signal)
    await (flags.json === true
      ? printLine(summaryOf(site, simulator, gateway))
      : printText(textOf(site, simulator, gateway)))
    await Promise.race([aborted(ending.signal), simulator.gone, gateway.gone])
    if (!ending.signal.aborted) throw new PortariaError('listen_failed', failureOf(simulator, gateway))
    await endBoth(simulator, gateway)
  } catch (error) {
    if (!ending.signal.aborted)
      throw error instanceof DemoFailure ? new PortariaError('listen_failed', adviceOn(error, flags)) : error
  } finally {
    await Promise.all(kills.map((kill) => kill()))
    leaveNothing()
    process.removeListener('exit', leaveNothing)
  }
}

/** The options that the two programs name are not those of this command. */
function adviceOn({ message }: DemoFailure, { anyPorts = false }: PlaygroundFlags): string {
  const isBusy = !anyPorts && message.includes('another program')
  return isBusy ? `${message}\n"portaria playground --any-ports" takes free ports instead` : message
}

type Spawning = Pick<Parameters<typeof spawnProgram>[1], 'signal' | 'onSpawned'>

/** Its certificates are made on the way: the gateway cannot start before them. */
function startSimulator(
  { service, serverCaFile }: LocalSite,
  { folder, anyPorts = false }: PlaygroundFlags,
  spawning: Spawning,
): Promise<Simulator> {
  const [port, controlPort] = anyPorts ? [0, 0] : [SIMULATOR_PORT, CONTROL_PORT]
  const flags = ['--json', '--port', `${port}`, '--control-port', `${controlPort}`, '--folder', service]
  const kept = folder === undefined ? [] : ['--keep']
  return spawnProgram(['simulator', ...flags, '--receiver-ca', serverCaFile, ...kept], {
    name: 'the simulated service',
    mark: '"serverCa"',
    ...spawning,
  })
}

function startGateway({ configFile }: LocalSite, spawning: Spawning): Promise<Gateway> {
  return spawnProgram(['serve', '--config', configFile], {
    name: 'the gateway',
    mark: '"gateway.started"',
    ...spawning,
  })
}

/** Lets the pages of the simulated service know the gateway. */
async function introduce(
  { operatorToken, chargeToken }: LocalSite,
  { control }: Simulator,
  gateway: Gateway,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    payment: `${callbacksOf(gateway)}/payment`,
    registration: `${callbacksOf(gateway)}/registration`,
    charges: `https://localhost:${gateway.charges.port}/charges/${chargeToken}`,
    api: apiOf(gateway),
    pages: `${apiOf(gateway)}/ui/`,
    token: operatorToken,
  }
  await askJson({ who: 'the simulated service', method: 'PUT', url: `${control}/gateway`, body, signal })
}

function callbacksOf({ callbacks }: Gateway): string {
  return `https://localhost:${callbacks.port}/callbacks`
}

function apiOf({ api }: Gateway): string {
  return `http://${api.host}:${api.port}`
}

function summaryOf(site: LocalSite, simulator: Simulator, gateway: Gateway) {
  return {
    playground: simulator.playground,
    control: simulator.control,
    gateway: `${apiOf(gateway)}/ui/`,
    api: apiOf(gateway),
    callbacks: callbacksOf(gateway),
    operatorTokenFile: site.operatorTokenFile,
    folder: site.folder,
    pids: { simulator: simulator.pid, gateway: gateway.pid },
  }
}

function textOf(site: LocalSite, simulator: Simulator, gateway: Gateway): string {
  return `
A gateway and the simulated service run on this machine, for development and tests, NEVER FOR PRODUCTION.

  Playground   ${simulator.playground}
  Gateway      ${apiOf(gateway)}/ui/

Open the first one: its button registers the gateway at the service and sends a first payment.
The gateway asks for the operator's token, which is in ${site.operatorTokenFile}

Everything is in ${site.folder}.
Ctrl-C stops both.
`
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}

/** The one that ended by itself. */
function failureOf(simulator: Simulator, gateway: Gateway): string {
  return simulator.exitReport() ?? gateway.exitReport() ?? 'a program ended'
}

/** What does not end in time is killed afterwards. */
async function endBoth(simulator: Simulator, gateway: Gateway): Promise<void> {
  const limit = new AbortController()
  const late = wait(END_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined)
  await Promise.race([Promise.all([gateway.end(), simulator.end()]), late])
  limit.abort()
}
