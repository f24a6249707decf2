import { join, resolve } from 'node:path'
import type { Environment } from '../interfaces.ts'
import { type IssuedAccountCertificate, isAccountCertificate, issueAccountCertificate } from './account-certificates.ts'
import { isForNames, type KeyPair } from './certificates.ts'
import { activate, renewServer, rotate } from './changes.ts'
import { createWholeFolder, explainErrors, isAbsentOrEmpty } from './disk.ts'
import { makeFirstFiles } from './first-start.ts'
import * as layout from './layout.ts'
import { type EnvironmentFiles, type FolderFiles, readFolder } from './read.ts'
import { MAKE_WRONG, type WrongCertificate } from './wrong-certificates.ts'

export interface FolderOptions {
  /** The real time: certificates do not follow the simulated clock. */
  now(): Date
  /** Names or addresses of the API server beside localhost, 127.0.0.1 and ::1. */
  readonly hostNames: readonly string[]
}

/** One environment of the open folder. */
export interface FolderEnvironment extends Pick<EnvironmentFiles, 'chain' | 'client' | 'accounts' | 'applications'> {
  /** The file of the published chain, absolute. */
  readonly chainFile: string
  /** The files of the client certificate that calls are made with, absolute. */
  readonly clientFiles: { readonly cert: string; readonly key: string }
  /** The authorities of account certificates, PEM: the option `ca` of a server that asks for them. */
  readonly accountAuthorities: readonly string[]
}

export interface SimulatorFolder {
  /** Absolute. */
  readonly path: string
  /** The certificate of the root, PEM. */
  readonly root: string
  /** The file of the root for `NODE_EXTRA_CA_CERTS`, absolute. */
  readonly rootFile: string
  /** The API server's certificate with its intermediate, and its key. */
  readonly server: KeyPair
  /** Read an environment again after `rotate` and `activate`: the members of a value do not change. */
  readonly environments: Readonly<Record<Environment, FolderEnvironment>>
  /** Publishes a new chain. Calls continue with the client certificate of the old chain until `activate`. */
  rotate(environment: Environment): Promise<void>
  /** Makes calls with a client certificate of the published chain from now on. Changes nothing when they are already. */
  activate(environment: Environment): Promise<void>
  /** A client certificate for an account that is opened at run time. The folder does not keep it. */
  issueAccountCertificate(request: { environment: Environment; name: string }): Promise<IssuedAccountCertificate>
  /** Whether a DER certificate is a valid account certificate of this environment. False for bytes that are no certificate. */
  verifyAccountCertificate(raw: Uint8Array, environment: Environment): boolean
  /** A client certificate for a fault, in memory only: the same one until a rotation or an activation. */
  wrongCertificate(environment: Environment, kind: WrongCertificate): Promise<KeyPair>
}

/**
 * Opens the folder with everything that outlives a restart, and creates it at the first start (0700, keys 0600).
 * It changes no existing file, except that it issues the server certificate again when the host names changed.
 * @throws SimulatorError
 */
export async function openFolder(path: string, { now, hostNames }: FolderOptions): Promise<SimulatorFolder> {
  const folder = resolve(path)
  if (await isAbsentOrEmpty(folder)) await createWholeFolder(folder, () => makeFirstFiles(now(), hostNames))
  const files = readFolder(folder, now())
  if (isForNames(files.server.cert, hostNames)) return createFolder(folder, files, now)
  await explainErrors(folder, () => renewServer(folder, files, now(), hostNames))
  return createFolder(folder, readFolder(folder, now()), now)
}

function createFolder(folder: string, opened: FolderFiles, now: () => Date): SimulatorFolder {
  let files = opened
  let lastChange: Promise<unknown> = Promise.resolve()
  const wrong = new Map<string, Promise<KeyPair>>()

  /** Changes run one after the other, because each takes the next number. */
  function change(write: () => Promise<void>): Promise<void> {
    const done = lastChange.then(async () => {
      await explainErrors(folder, write)
      files = readFolder(folder, now())
    })
    lastChange = done.catch(() => undefined)
    return done
  }

  function wrongCertificate(environment: Environment, kind: WrongCertificate): Promise<KeyPair> {
    const generations = Object.values(files.environments).flatMap((of) => [of.publishedGeneration, of.activeGeneration])
    const name = [environment, kind, ...generations].join(' ')
    const made = wrong.get(name) ?? MAKE_WRONG[kind](files, environment, now())
    wrong.set(name, made)
    return made
  }

  return {
    path: folder,
    root: opened.root.cert,
    rootFile: join(folder, layout.SERVER_CA),
    server: opened.server,
    environments: {
      get production() {
        return describeEnvironment(folder, files, 'production')
      },
      get sandbox() {
        return describeEnvironment(folder, files, 'sandbox')
      },
    },
    rotate: (environment) => change(() => rotate(folder, files.root, environment, now())),
    activate: (environment) => change(() => activate(folder, files.environments[environment], environment, now())),
    issueAccountCertificate: ({ environment, name }) =>
      issueAccountCertificate(files.environments[environment].accountAuthority, name, now()),
    verifyAccountCertificate: (raw, environment) =>
      isAccountCertificate(raw, files.environments[environment].accountAuthority, now()),
    wrongCertificate,
  }
}

function describeEnvironment(folder: string, files: FolderFiles, environment: Environment): FolderEnvironment {
  const { chain, client, accounts, applications, ...others } = files.environments[environment]
  const { cert, key } = layout.clientFiles(environment, others.activeGeneration)
  return {
    chain,
    client,
    accounts,
    applications,
    chainFile: join(folder, layout.chainFile(environment, others.publishedGeneration)),
    clientFiles: { cert: join(folder, cert), key: join(folder, key) },
    accountAuthorities: [others.accountAuthority.cert, files.root.cert],
  }
}
