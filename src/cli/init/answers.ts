import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { PRESETS } from '../../config/presets.ts'
import { ENVIRONMENTS, type Environment, environmentNamed } from '../../domain/realm.ts'
import type { Language } from '../../messages/languages.ts'
import { translated } from '../language/language.ts'
import { wrongUsage } from '../output.ts'
import { institutionFrom, type NewInstitution } from './institutions.ts'

/** As typed, on the command line or as answers to the questions. */
export interface InitFlags {
  readonly hostName?: string
  readonly callbacksHost?: string
  readonly callbacksPort?: number
  readonly publicPort?: number
  readonly apiPort?: number
  readonly environments?: string
  readonly kinds?: string
  readonly institution?: readonly string[]
  readonly chargePort?: number
  readonly localReceiver?: boolean
  readonly data?: string
  readonly lang?: Language
}

/** The site to create, checked. */
export interface Site {
  readonly folder: string
  readonly hostName: string
  readonly callbacksHost: string
  readonly callbacksPort: number
  readonly publicPort: number
  readonly apiPort: number
  readonly environments: readonly Environment[]
  /** Of the unnamed institution; empty: there are only those with a name. */
  readonly kinds: readonly { readonly name: string; readonly path: string }[]
  readonly institutions: readonly NewInstitution[]
  /** null: no charge listener. */
  readonly chargePort: number | null
  /** Destinations on this machine are allowed, with plain http. */
  readonly localReceiver: boolean
  readonly dataFolder: string
  /** The API listens on every address, under TLS: on loopback, other containers and the machine could not reach it. */
  readonly isContainer: boolean
  /** Of NEXT-STEPS.md. */
  readonly language: Language
}

/** The volumes of container/Containerfile. */
export const IN_CONTAINER = { folder: '/etc/portaria', data: '/data' } as const

/** Below the site's folder. */
export function chargeTokenFile(environment: string): string {
  return `secrets/charge-token-${environment}`
}

const DEFAULTS = {
  callbacksHost: '0.0.0.0',
  callbacksPort: 8443,
  apiPort: 8080,
  environments: ENVIRONMENTS.join(),
  kinds: 'registration,payment',
} as const

/** @throws PortariaError `request_invalid`, with every mistake in its details */
export function siteOf(folder: string, flags: InitFlags, isContainer = false): Site {
  const { hostName = '', callbacksHost, callbacksPort, apiPort, environments } = { ...DEFAULTS, ...flags }
  const named = (flags.institution ?? []).map(institutionFrom)
  const mistakes = named.filter((one) => typeof one === 'string')
  const kinds = kindsOf(flags.kinds ?? DEFAULTS.kinds, flags.chargePort !== undefined)
  if (kinds.length === 0 && named.length === 0) mistakes.push('--kinds none: name the kinds, or add --institution NAME')
  const chosen = listOf(environments).map(environmentNamed)
  if (!isHostName(hostName))
    mistakes.push(
      `--host-name "${hostName}" is not a DNS name: give the name that the service calls, such as callbacks.example.com`,
    )
  if (chosen.length === 0 || chosen.includes(null))
    mistakes.push(`--environments "${environments}": write production, sandbox, or both with a comma`)
  const ports = [callbacksPort, apiPort, ...(flags.chargePort === undefined ? [] : [flags.chargePort])]
  if (new Set(ports).size < ports.length) mistakes.push(`the ports ${ports.join(', ')} must all be different`)
  if (mistakes.length > 0) throw wrongUsage(mistakes.join('; '))
  return {
    folder,
    hostName,
    callbacksHost,
    callbacksPort,
    publicPort: flags.publicPort ?? callbacksPort,
    apiPort,
    environments: ENVIRONMENTS.filter((environment) => chosen.includes(environment)),
    kinds,
    institutions: named.filter((one) => typeof one !== 'string'),
    chargePort: flags.chargePort ?? null,
    localReceiver: flags.localReceiver ?? false,
    dataFolder: resolve(flags.data ?? (isContainer ? IN_CONTAINER.data : join(folder, 'data'))),
    isContainer,
    language: flags.lang ?? 'en',
  }
}

/** Asks on standard error for required answers that no option has given. */
export async function askOnTerminal(flags: InitFlags): Promise<InitFlags> {
  if (!process.stdin.isTTY)
    throw wrongUsage('--host-name DNS is required without a terminal: init --help lists all options')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-D and Ctrl-C.
  const givenUp = new Promise<never>((_, reject) =>
    terminal.once('close', () => reject(wrongUsage('canceled: nothing was written'))),
  )
  givenUp.catch(() => undefined)
  const ask = async (question: string, given: string | undefined, otherwise = '') => {
    if (given !== undefined) return given
    const answer = await Promise.race([
      terminal.question(`${translated(question)}${otherwise === '' ? '' : ` [${otherwise}]`}: `),
      givenUp,
    ])
    return answer.trim() === '' ? otherwise : answer.trim()
  }
  try {
    return {
      ...flags,
      hostName: await ask('DNS name under which the service calls this machine', flags.hostName),
      callbacksPort: portOf(
        await ask('Port for callbacks', flags.callbacksPort?.toString(), String(DEFAULTS.callbacksPort)),
      ),
      environments: await ask('Environments', flags.environments, DEFAULTS.environments),
      kinds: await ask('Kinds of callbacks', flags.kinds, DEFAULTS.kinds),
      institution: namesOf(
        await ask(
          `Other institutions, as NAME or NAME:PRESET (${PRESETS.join(', ')})`,
          flags.institution?.join(),
          translated(NONE),
        ),
      ),
      localReceiver: isYes(
        await ask(
          'Do the events go to a program on this machine, such as http://localhost:3000',
          yesIf(flags),
          translated('no'),
        ),
      ),
    }
  } finally {
    terminal.close()
  }
}

function yesIf({ localReceiver }: InitFlags): string | undefined {
  return localReceiver === true ? 'yes' : undefined
}

function isYes(text: string): boolean {
  if (/^(y|yes|s|sim)$/i.test(text)) return true
  if (/^(n|no|nao|não)$/i.test(text)) return false
  throw wrongUsage(`"${text}": answer yes or no`)
}

function portOf(text: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text)
  throw wrongUsage(`"${text}" is not a port: give a number from 1 to 65535`)
}

const NONE = 'none'

function namesOf(text: string): string[] {
  return text === NONE || text === translated(NONE) ? [] : listOf(text)
}

function kindsOf(text: string, withCharges: boolean): Site['kinds'] {
  const names = namesOf(text)
  const all = withCharges && !names.some((name) => /^charge(=|$)/.test(name)) ? [...names, 'charge'] : names
  return all.map((entry) => {
    const [name = '', path = `/callbacks/${name}`] = entry.split('=', 2)
    return { name, path }
  })
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** RFC 1123 section 2.1. */
function isHostName(text: string): boolean {
  return (
    isIP(text) === 0 &&
    text.length <= 253 &&
    /^(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i.test(text)
  )
}
