import { spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { Command, InvalidArgumentError } from 'commander'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { readSeconds } from '../../platform/units.ts'
import { readAuthorities } from '../caller-files.ts'
import { connectToGateway, type GatewayConnection } from '../control-client.ts'
import { timeOrAge } from '../listing/period.ts'
import { type ConfigOption, collect, wholeNumber, withConfig, withRealm } from '../options.ts'
import { action, EXIT, tell, wrongUsage } from '../output.ts'
import { remotely } from '../remote/chosen.ts'
import { type Beginning, createConsumer } from './consumer.ts'
import { type Display, jsonDisplay, lineDisplay, screenDisplay } from './display.ts'
import type { Addresses, Forwarding } from './forwarding.ts'
import { createLoop, type Loop } from './loop.ts'
import { signingSecret } from './secret.ts'

interface ListenOptions extends ConfigOption {
  readonly forwardTo: readonly string[]
  readonly kind?: readonly string[]
  readonly environment?: string
  readonly institution?: string
  readonly consumer?: string
  readonly from?: Beginning
  readonly secretFile?: string
  readonly ca?: string
  readonly appTimeout: number
  readonly count?: number
  readonly timeout?: number
}

const APP_TIMEOUT_S = 20
/** An event is leased for the time of one attempt and this. */
const LEASE_MARGIN_S = 5
const LONGEST_S = 3600 - LEASE_MARGIN_S

export function listenCommand(): Command {
  const command = withConfig(remotely(new Command('listen')))
    .requiredOption(
      '--forward-to <url>',
      'address of your app, or KIND=URL for one kind; repeatable, such as http://localhost:3000/hook',
      collect,
    )
    .option('--kind <name>', 'only this kind; may be repeated', collect)
  return withRealm(command)
    .option('--consumer <name>', 'name of the position at the gateway (default: listen- and the name of this host)')
    .option(
      '--from <place>',
      'begin there: start, latest, an event id, or a time or age such as 2h (default: where it ended, at first latest)',
      beginning,
    )
    .option(
      '--secret-file <file>',
      'file with the signing secret, whsec_… (default: one of your own, made at the first use)',
    )
    .option('--ca <file>', 'CA certificates for checking the certificate of your app, PEM (default: the public ones)')
    .option('--app-timeout <seconds>', 'time limit for each answer of your app', seconds, APP_TIMEOUT_S)
    .option('--count <n>', 'end with exit code 0 when so many events were taken', wholeNumber)
    .option(
      '--timeout <seconds>',
      'end after this time; exit code 1 if --count was not reached or an event was not taken',
      seconds,
    )
    .option('--json', 'print one JSON object per attempt')
    .action(action(listen))
}

function seconds(text: string): number {
  const value = readSeconds(text) / 1000
  if (value < 1 || value > LONGEST_S) throw new InvalidArgumentError(`It must be 1 to ${LONGEST_S} seconds.`)
  return value
}

async function listen(options: ListenOptions): Promise<void> {
  const addresses = addressesOf(options.forwardTo)
  const { from: beginning = null } = options
  const authorities = options.ca === undefined ? null : readAuthorities(options.ca).join('\n')
  const { secret, file } = signingSecret(options.secretFile)
  const timeoutMs = options.appTimeout * 1000
  const gateway = await connectToGateway(options)
  // Help and completion need none of it.
  const { createForwarding } = await import('./forwarding.ts')
  const forwarding = createForwarding({ addresses, secret, timeoutMs, authorities })
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => ending.abort(new Ended('stopped')))
  const { timeout, count = Number.POSITIVE_INFINITY } = options
  const timer = timeout === undefined ? null : setTimeout(() => ending.abort(new Ended('timeout')), timeout * 1000)
  try {
    tell(
      say`events of ${{ address: gateway.address }} go to ${{ names: shownAddresses(addresses) }}, signed with the secret in ${{ file }}`,
    )
    await run({ options, gateway, forwarding, ending, beginning, count, kinds: kindsOf(options, addresses) })
  } finally {
    if (timer !== null) clearTimeout(timer)
    await forwarding.close()
    await gateway.close()
  }
}

class Ended extends Error {}

/** Node wraps the reason where it cancels a wait. */
function isEnd(error: unknown, { aborted, reason }: AbortSignal): boolean {
  return aborted && (error === reason || (error instanceof Error && error.name === 'AbortError'))
}

interface Running {
  readonly options: ListenOptions
  readonly gateway: GatewayConnection
  readonly forwarding: Forwarding
  readonly ending: AbortController
  readonly beginning: Beginning
  readonly count: number
  readonly kinds: readonly string[] | null
}

async function run({ options, gateway, forwarding, ending, beginning, count, kinds }: Running): Promise<void> {
  const { environment, institution, consumer: name = ownName(), appTimeout } = options
  const { signal } = ending
  let loop: Loop | null = null
  const display = displayFor(options, {
    address: gateway.address,
    onAgain: (event) => loop?.again(event),
    onOpen: (event) => open(pageOf(gateway, event), display),
    onQuit: () => ending.abort(new Ended('stopped')),
  })
  const note = notesOf(display)
  const consumer = createConsumer(gateway, {
    name,
    leaseSeconds: Math.ceil(appTimeout) + LEASE_MARGIN_S,
    filter: {
      ...(kinds !== null && { kinds }),
      ...(environment !== undefined && { environment }),
      ...(institution !== undefined && { institution }),
    },
    signal,
    onConnection: (problem) =>
      note(problem === null ? 'connected again' : `not connected: ${problem}; it goes on trying`),
    onHeld: (until) =>
      note(
        `another listener of the consumer ${name} has the next event, at the latest until ${until}; --consumer NAME gets all events itself`,
      ),
    onRestored: () => note(`the consumer ${name} was deleted: it is made again, and goes on where this listener was`),
  })
  let isHeld = false
  try {
    const behind = await consumer.begin(beginning)
    note(
      behind === 0
        ? `the consumer ${name} waits for new events`
        : `the consumer ${name} has ${behind} events to catch up with (--from latest skips them)`,
    )
    loop = createLoop({
      consumer,
      forwarding,
      timeoutMs: appTimeout * 1000,
      signal,
      onAttempt: (attempt) => {
        if (!attempt.isReplay) isHeld = attempt.answer.error !== null
        return display.attempt(attempt)
      },
      onNote: note,
    })
    const taken = await loop.run(count)
    const isShort = taken < count && count !== Number.POSITIVE_INFINITY
    const isLate = signal.aborted && (signal.reason as Error).message === 'timeout' && isHeld
    if (isShort || isLate) process.exitCode = EXIT.no
    if (isShort) note(`ended with ${taken} of ${count} events`)
  } catch (error) {
    if (!isEnd(error, signal)) throw explained(error)
    if (count !== Number.POSITIVE_INFINITY) process.exitCode = EXIT.no
  } finally {
    display.end()
  }
}

/** The same sentence again says nothing new. */
function notesOf(display: Display): (text: string) => void {
  let last = ''
  return (text) => {
    if (text !== last) display.note(text)
    last = text
  }
}

function displayFor({ json }: ListenOptions, parts: Parameters<typeof screenDisplay>[0]): Display {
  if (json === true) return jsonDisplay()
  return process.stdout.isTTY && process.stdin.isTTY ? screenDisplay(parts) : lineDisplay()
}

function explained(error: unknown): unknown {
  if (!(error instanceof PortariaError)) return error
  if (error.code === 'gone')
    return new PortariaError(
      'gone',
      say`${{ message: error.message }}. Begin elsewhere with --from start or --from latest`,
    )
  if (error.code === 'insufficient_scope')
    return new PortariaError(
      error.code,
      say`${{ message: error.message }}. The client of the profile needs the scope events.read`,
    )
  return error
}

function addressesOf(texts: readonly string[]): Addresses {
  const byKind = new Map<string, URL>()
  let others: URL | null = null
  for (const text of texts) {
    const [, kind, address = text] = /^([\w-]+)=(.*)$/.exec(text) ?? []
    const url = URL.parse(address)
    if (url === null || !/^https?:$/.test(url.protocol))
      throw wrongUsage(say`--forward-to "${{ text }}" is no address: give http://localhost:PORT/PATH, or KIND=URL`)
    if (kind === undefined ? others !== null : byKind.has(kind))
      throw wrongUsage(`--forward-to gives ${kind ?? 'all kinds'} twice: leave one of them out`)
    if (kind === undefined) others = url
    else byKind.set(kind, url)
  }
  return { byKind, others }
}

/** null: all of them. Without an address for the others, only kinds that have one are asked for. */
function kindsOf({ kind }: ListenOptions, { byKind, others }: Addresses): readonly string[] | null {
  if (others !== null) return kind ?? null
  const strange = kind?.find((one) => !byKind.has(one))
  if (strange !== undefined)
    throw wrongUsage(say`--kind ${{ one: strange }} has no address: give --forward-to ${{ one: strange }}=URL`)
  return kind ?? [...byKind.keys()]
}

function shownAddresses({ byKind, others }: Addresses): string {
  const kinds = [...byKind].map(([kind, { href }]) => `${href} (${kind})`)
  return [...kinds, ...(others === null ? [] : [others.href])].join(', ')
}

function beginning(from: string): Beginning {
  if (/^(start|latest|evt_\w+)$/.test(from)) return { position: from }
  return { time: new Date(timeOrAge(from)).toISOString() }
}

/** Names of consumers have letters, digits and some signs. */
function ownName(): string {
  return `listen-${hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')}`.slice(0, 60)
}

function pageOf({ address }: GatewayConnection, event: string): string {
  return `${address}/ui/events/${event}`
}

/** In the browser of the desktop; where none opens, the address is shown. */
function open(url: string, display: Display): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => display.note(url))
  child.on('exit', (code) => code !== 0 && display.note(url))
  child.unref()
  display.note(`${url} (${COMMAND} events show has the same in words)`)
}
