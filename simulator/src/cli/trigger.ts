import { X509Certificate } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { Command, Option } from 'commander'
import { messageOf, SimulatorError } from '../errors.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import { certificatesIn, readAuthorities, readOption } from '../option-files.ts'
import type { Triggered, TriggerTarget } from '../trigger/run.ts'
import type { Step } from '../trigger/steps.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'
import { commandNames, translated } from './command-names.ts'
import { inLanguage } from './help-language.ts'
import { action, print, printable, printLine } from './output.ts'
import { adviseReceiverCa, adviseTestCa } from './trust-advice.ts'

export interface TriggerFlags {
  readonly set?: readonly string[]
  readonly form?: 'json' | 'token'
  readonly file?: string
  readonly script?: string
  readonly to?: readonly string[]
  readonly environment: Environment
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
  readonly laboratory?: string
  readonly timeout: string
  readonly list?: boolean
  readonly json?: boolean
  /** Of the gateway that is called without an address. */
  readonly config?: string
  readonly verbose?: boolean
}

/** A gateway of this machine, as its configuration says. */
export interface LocalTarget {
  readonly url: URL
  readonly shownUrl: string
  /** PEM; null: the public authorities. */
  readonly receiverCa: string | null
  /** A test certificate that it accepts; null: there is none beside its chain. */
  readonly credentials: Credentials | null
  /** PEM of the chains that it trusts; null: it asks for no certificate. */
  readonly chain: string | null
}

export interface WantedTarget {
  readonly kind: string
  readonly environment: Environment
}

/** @throws if the configuration has no such gateway */
export type FindLocalTarget = (wanted: WantedTarget, flags: TriggerFlags) => LocalTarget

const LONGEST_TIMEOUT_SECONDS = 3600

/** @param findLocal null: there is no gateway, so `--to` names the receiver */
export function triggerCommand(findLocal: FindLocalTarget | null): Command {
  const command = new Command('trigger')
    .description('Send a callback as the payment service does, with a test certificate, and judge the answer')
    .argument('[kind]', 'payment, registration, charge, subscription, carnet, open-banking or pix')
    .argument('[state]', 'state of the fact (--list shows them; default: the first one)')
    .option(
      '--set <member=value>',
      'set a member of the body, as status.atual=CANCELADO or extra:=JSON; repeatable',
      collect,
    )
    .addOption(
      new Option('--form <form>', 'form of notifications of charges (default: json)').choices(['json', 'token']),
    )
    .option('--file <file>', 'send the bytes of this file as the body, - for standard input')
    .option('--script <file>', 'send a sequence, YAML: steps with kind, state, set, file, form, new, or wait')
    .option(
      '--to <url>',
      findLocal === null
        ? 'registered address, or KIND=URL; repeatable'
        : 'registered address, or KIND=URL; repeatable (default: the gateway of the configuration file)',
      collect,
    )
    .addOption(
      new Option('--environment <environment>', 'environment of the test certificate')
        .choices(ENVIRONMENTS)
        .default('sandbox'),
    )
    .option('--cert <file>', 'client certificate, PEM, full chain (default: that of development or of the test CA)')
    .option('--key <file>', 'private key of the client certificate, PEM')
    .option('--ca <file>', "authorities of the receiver's server certificate besides the public ones, PEM")
    .option('--laboratory <folder>', 'folder of the test CA (default: $XDG_STATE_HOME/portaria/conformance)')
    .option('--timeout <seconds>', 'time limit of each request', '60')
    .option('--list', 'only list the kinds and their states')
    .option('--json', 'print one JSON object per line')
    .action(
      action((kind: string | undefined, state: string | undefined, flags) => run(flags, { kind, state, findLocal })),
    )
  if (findLocal !== null)
    command.option('--config <file>', 'configuration file of the gateway that is called without --to')
  return inLanguage(command)
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

interface Called {
  readonly kind: string | undefined
  readonly state: string | undefined
  readonly findLocal: FindLocalTarget | null
}

async function run(flags: TriggerFlags, { kind, state, findLocal }: Called): Promise<void> {
  if (flags.list === true) return list(flags)
  const timeoutMs = timeoutOf(flags.timeout)
  const steps = await stepsOf(flags, kind, state)
  const addresses = await addressesOf(flags)
  const targetOf = await targetsOf(flags, addresses, findLocal)
  const { runSteps } = await import('../trigger/run.ts')
  const problems: string[] = []
  const onSent = (sent: Triggered) => {
    problems.push(...sent.problems)
    return flags.json === true ? printLine(sent) : print(lineOf(sent))
  }
  const onNote = (text: string) => void process.stderr.write(`${printable(translated(text))}\n`)
  const isGood = await runSteps(steps, { targetOf, timeoutMs, onSent, onNote })
  if (problems.some((one) => one.startsWith('untrusted'))) adviseReceiverCa()
  const hasTestCertificate = flags.to !== undefined && flags.cert === undefined
  if (hasTestCertificate && problems.some((one) => /^(closed|handshake_failed)/.test(one))) adviseTestCa()
  process.exitCode = isGood ? 0 : 1
}

async function list({ json }: TriggerFlags): Promise<void> {
  const { TRIGGER_KINDS } = await import('../trigger/fixtures.ts')
  for (const [kind, { states }] of Object.entries(TRIGGER_KINDS))
    await (json === true ? printLine({ kind, states }) : print(`${kind.padEnd(14)}${states.join(', ')}\n`))
}

async function stepsOf(flags: TriggerFlags, kind: string | undefined, state: string | undefined): Promise<Step[]> {
  const { callbackStep, readScript } = await import('../trigger/steps.ts')
  const { script, file, form, set } = flags
  if (script === undefined) {
    if (kind === undefined) throw wrong('name a kind, or give --script: --list shows the kinds')
    return [callbackStep({ kind, state, form, settings: set, file })]
  }
  if (kind !== undefined || file !== undefined || form !== undefined || set !== undefined)
    throw wrong('--script has its kinds, files and members in its steps: leave the others out')
  const base = dirname(resolve(script))
  return readScript(readOption('--script', script), script).map((step) =>
    'waitMs' in step || step.file === null ? step : { ...step, file: resolve(base, step.file) },
  )
}

/** Of each kind, or of all others under ''. */
async function addressesOf({ to = [] }: TriggerFlags): Promise<ReadonlyMap<string, URL>> {
  const { TRIGGER_KINDS } = await import('../trigger/fixtures.ts')
  const addresses = new Map<string, URL>()
  for (const text of to) {
    const [, kind = '', address = text] = /^([a-z-]+)=(.*)$/.exec(text) ?? []
    if (kind !== '' && !Object.hasOwn(TRIGGER_KINDS, kind))
      throw wrong(`--to ${text}: there is no kind ${kind}: give ${Object.keys(TRIGGER_KINDS).join(', ')}`)
    if (addresses.has(kind)) throw wrong(`--to gives ${kind === '' ? 'two addresses' : `${kind} twice`}: leave one out`)
    addresses.set(kind, addressOf(address))
  }
  return addresses
}

function addressOf(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw wrong(`--to "${text}" is not a URL: give https://HOST:PORT/PATH, or http: for charges`)
  if (url.username !== '' || url.password !== '')
    throw wrong('the URL of --to holds a user name or password, and the service sends none: leave it out')
  url.hash = ''
  return url
}

async function targetsOf(flags: TriggerFlags, addresses: ReadonlyMap<string, URL>, findLocal: FindLocalTarget | null) {
  const given = givenCredentials(flags)
  const ca = flags.ca === undefined ? null : readAuthorities('--ca', flags.ca)
  return async (kind: string): Promise<TriggerTarget> => {
    const url = addresses.get(kind) ?? addresses.get('')
    if (url !== undefined) {
      const credentials = url.protocol === 'http:' ? null : (given ?? (await testCertificate(flags)))
      return { url, shownUrl: url.href, receiverCa: ca, credentials }
    }
    if (findLocal === null)
      throw wrong(`no address is given for ${kind}: name the receiver with --to https://HOST:PORT/PATH`)
    const local = findLocal({ kind, environment: flags.environment }, flags)
    const { shownUrl, chain } = local
    const credentials = given ?? local.credentials ?? (chain === null ? null : await testCertificate(flags, chain))
    return { url: local.url, shownUrl, receiverCa: ca ?? local.receiverCa, credentials }
  }
}

function givenCredentials({ cert, key }: TriggerFlags): Credentials | null {
  if ((cert === undefined) !== (key === undefined)) throw wrong('--cert and --key belong together: give both')
  if (cert === undefined || key === undefined) return null
  const credentials = { certificate: readOption('--cert', cert), privateKey: readOption('--key', key) }
  try {
    createSecureContext({ cert: credentials.certificate, key: credentials.privateKey })
  } catch (error) {
    throw wrong(
      `--cert ${cert} with --key ${key} cannot be used for TLS (${messageOf(error)}): give a certificate and its key in PEM`,
    )
  }
  return credentials
}

/**
 * Of the test CA of `conformance`, made at the first use.
 * @param chain the chains of the receiver, PEM; left out: unknown
 * @throws SimulatorError `refused` if the receiver does not have its chain
 */
async function testCertificate({ laboratory, environment }: TriggerFlags, chain?: string): Promise<Credentials> {
  const { defaultLaboratory, openLaboratory } = await import('../conformance/laboratory.ts')
  const { folder, environments } = await openLaboratory(laboratory ?? defaultLaboratory(), new Date())
  const { issuer, credentials } = environments[environment]
  const isTrusted = chain === undefined || fingerprintsIn(chain).includes(new X509Certificate(issuer).fingerprint256)
  if (isTrusted) return credentials
  throw new SimulatorError(
    'refused',
    `the gateway would refuse the test certificate: it has no chain of the test CA ${folder} in ${environment}. ` +
      `Write the chains with "${commandNames.program} conformance chain --folder chains" and install conformance-${environment}.pem, ` +
      'or give the certificate of a caller with --cert and --key',
  )
}

function fingerprintsIn(pem: string): string[] {
  return certificatesIn(pem).map((one) => new X509Certificate(one).fingerprint256)
}

function timeoutOf(text: string): number {
  const seconds = /^\d+(\.\d+)?s?$/.test(text) ? Number.parseFloat(text) : 0
  if (seconds < 0.1 || seconds > LONGEST_TIMEOUT_SECONDS)
    throw wrong(`--timeout "${text}" is not a time: give seconds, at most ${LONGEST_TIMEOUT_SECONDS}`)
  return Math.round(seconds * 1000)
}

function lineOf({ kind, state, url, status, durationMs, problems }: Triggered): string {
  const isGood = problems.length === 0
  const found = isGood ? translated(`${status} after ${durationMs} ms`) : problems.map(translated).join('; ')
  const what = state === null ? kind : `${kind} ${state}`
  return `${isGood ? '✓' : '✗'} ${printable(what)} ${printable(url)}: ${printable(found)}\n`
}

function wrong(message: string): SimulatorError {
  return new SimulatorError('request_invalid', message)
}
