import { X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { messageOf, SimulatorError } from '../errors.ts'
import { issueAuthority, issueClient, type KeyPair, makeEcKey } from '../folder/certificates.ts'
import { createWholeFolder, explainErrors, type NewFiles, replaceFile, secretFile } from '../folder/disk.ts'
import { ENVIRONMENTS, type Environment } from '../interfaces.ts'
import type { Credentials } from '../webhooks/secure-contexts.ts'

/** One environment of the test CA, in the place of one of the service. */
export interface LaboratoryEnvironment {
  /** The issuing certificate and its root, PEM: what Document 1 says to install. */
  readonly chain: string
  /** The issuing certificate alone, PEM. */
  readonly issuer: string
  readonly credentials: Credentials
  readonly authority: KeyPair
}

export interface Laboratory {
  /** Absolute. */
  readonly folder: string
  readonly root: KeyPair
  readonly environments: Readonly<Record<Environment, LaboratoryEnvironment>>
  /** What is new in it: `chains` have to be installed again. */
  readonly renewed: 'nothing' | 'client certificates' | 'chains'
}

const ROOT = 'root.pem'
export const ROOT_NAME = 'Conformance test root'
const authorityFile = (environment: Environment) => `${environment}-authority.pem`
const clientFile = (environment: Environment) => `${environment}-client.pem`
/** A chain that ends within a day is renewed at once, so that no run meets its end. */
const MARGIN_MS = 86_400_000

export function authorityName(environment: Environment): string {
  return `Conformance test ${environment} CA`
}

export function clientName(environment: Environment): string {
  return `Conformance test ${environment}`
}

/** `$XDG_STATE_HOME/portaria/conformance`, by default below ~/.local/state (XDG Base Directory Specification). */
export function defaultLaboratory(variables: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME: state = '' } = variables
  return join(state.startsWith('/') ? state : join(homedir(), '.local/state'), 'portaria/conformance')
}

/**
 * Keys and certificates of a user's own, made at the first use (folder 0700, keys 0600) and kept. What is out of date is made again.
 * @throws SimulatorError `folder_unusable`, `folder_occupied`, `folder_damaged`
 */
export async function openLaboratory(path: string, now: Date): Promise<Laboratory> {
  const folder = resolve(path)
  const isNew = await explainErrors(folder, async () => !existsSync(folder) || readdirSync(folder).length === 0)
  if (isNew) await createWholeFolder(folder, () => makeFiles(now))
  const read = await explainErrors(folder, async () => readLaboratory(folder))
  if (!isCurrent([read.root, ...ENVIRONMENTS.map((name) => read.environments[name].authority)], now)) {
    await explainErrors(folder, async () => {
      for (const [file, content] of Object.entries(await makeFiles(now))) await replaceFile(folder, file, content)
    })
    return { ...readLaboratory(folder), renewed: 'chains' }
  }
  const old = ENVIRONMENTS.filter((name) => !isCurrent([clientOf(read.environments[name])], now))
  for (const name of old) {
    const content = secretFile(textOf(await makeClient(name, read.environments[name].authority, now)))
    await explainErrors(folder, () => replaceFile(folder, clientFile(name), content))
  }
  return old.length === 0 ? read : { ...readLaboratory(folder), renewed: 'client certificates' }
}

async function makeFiles(now: Date): Promise<NewFiles> {
  const root = await issueAuthority({ name: ROOT_NAME, now })
  const parts = ENVIRONMENTS.map(async (environment) => {
    const authority = await issueAuthority({ name: authorityName(environment), issuer: root, now })
    return {
      [authorityFile(environment)]: secretFile(textOf(authority)),
      [clientFile(environment)]: secretFile(textOf(await makeClient(environment, authority, now))),
    }
  })
  return Object.assign({ [ROOT]: secretFile(textOf(root)) }, ...(await Promise.all(parts)))
}

async function makeClient(environment: Environment, issuer: KeyPair, now: Date): Promise<KeyPair> {
  const key = await makeEcKey()
  const leaf = await issueClient({ name: clientName(environment), key, issuer, now })
  return { cert: leaf + issuer.cert, key }
}

function readLaboratory(folder: string): Laboratory {
  const root = readPair(folder, ROOT)
  const read = (environment: Environment): LaboratoryEnvironment => {
    const authority = readPair(folder, authorityFile(environment))
    const client = readPair(folder, clientFile(environment))
    return {
      chain: authority.cert + root.cert,
      issuer: authority.cert,
      credentials: { certificate: client.cert, privateKey: client.key },
      authority,
    }
  }
  return {
    folder,
    root,
    environments: { production: read('production'), sandbox: read('sandbox') },
    renewed: 'nothing',
  }
}

/** @throws SimulatorError */
function readPair(folder: string, file: string): KeyPair {
  const path = join(folder, file)
  const remedy = `remove the folder ${folder} and install the chains that "conformance chain" then writes`
  if (!existsSync(path)) {
    if (!existsSync(join(folder, ROOT)))
      throw new SimulatorError(
        'folder_occupied',
        `${folder} has other files and no test CA: name a new or an empty folder`,
      )
    throw new SimulatorError('folder_damaged', `${path} is missing: put it back, or ${remedy}`)
  }
  try {
    const text = readFileSync(path, 'utf8')
    const start = text.indexOf('-----BEGIN PRIVATE KEY-----')
    const pair = { cert: text.slice(0, start), key: text.slice(start) }
    new X509Certificate(pair.cert)
    return pair
  } catch (error) {
    throw new SimulatorError('folder_damaged', `${path} cannot be read (${messageOf(error)}): mend it, or ${remedy}`)
  }
}

function isCurrent(pairs: readonly KeyPair[], now: Date): boolean {
  return pairs.every(({ cert }) => now.getTime() + MARGIN_MS < new X509Certificate(cert).validToDate.getTime())
}

function clientOf({ credentials: { certificate: cert, privateKey: key } }: LaboratoryEnvironment): KeyPair {
  return { cert, key }
}

function textOf({ cert, key }: KeyPair): string {
  return cert + key
}
