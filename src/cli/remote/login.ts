import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { COMMAND } from '../../platform/installation.ts'
import { say } from '../../platform/said.ts'
import { action, print, printable, printLine, printResult, printText, tell, wrongUsage } from '../output.ts'
import { baseOf, connectTo, pairOf, readToken } from './connection.ts'
import {
  checkProfileName,
  DEFAULT_PROFILE,
  type Profile,
  profileNames,
  readProfile,
  removeProfile,
  withProfile,
  writeProfile,
} from './profiles.ts'

interface LoginOptions {
  readonly clientId?: string
  readonly clientSecretFile?: string
  readonly tokenFile?: string
  readonly device?: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly profile?: string
  readonly list?: boolean
  readonly json?: boolean
}

export function loginCommand(): Command {
  return new Command('login')
    .argument('[url]', 'base address of the API, https://HOST:PORT (http only on loopback)')
    .option('--client-id <id>', 'id of the client; its secret is then read from --client-secret-file')
    .option('--client-secret-file <file>', 'file with the secret of the client, - for standard input')
    .option('--token-file <file>', 'file with a bearer token, in place of a client; - for standard input')
    .option('--device', 'sign in as a person in a browser, on any machine (default in a terminal, without --client-id)')
    .option('--ca <file>', 'authorities of the certificate of the API, PEM (default: the public ones)')
    .option('--cert <file>', 'client certificate for the API, PEM, full chain')
    .option('--key <file>', 'private key of the client certificate, PEM')
    .option('--profile <name>', `name of the profile (default: ${DEFAULT_PROFILE})`)
    .option('--list', 'only list the profiles')
    .option('--json', 'print one JSON object, with --list one per line')
    .action(action(login))
}

async function login(url: string | undefined, options: LoginOptions): Promise<void> {
  if (options.list === true) return list(options)
  if (url === undefined) throw wrongUsage(say`give the base address of the API, https://HOST:PORT`)
  const name = options.profile ?? DEFAULT_PROFILE
  checkProfileName(name)
  const place = placeOf(url, options)
  const { credentials, scopes, person } = isOnDevice(options)
    ? await personOf(place)
    : await programOf(place, credentialsFrom(options))
  const profile = { ...place, credentials }
  const file = await withProfile(name, () => writeProfile(name, profile))
  const who = person === null ? '' : `Signed in as ${printable(person)}\n`
  const may = scopes === null ? '' : `It may: ${printable(scopes)}\n`
  const use = `Use it with --profile ${name}, or with: export PORTARIA_PROFILE=${name}\n`
  const text = `${profile.api} is saved as the profile ${name}, in ${file}\n${who}${may}${use}`
  const result = { profile: name, api: profile.api, person, scopes: scopes?.split(' ') ?? null, file }
  await printResult(options, result, text)
}

type Place = Omit<Profile, 'credentials'>

/** The default in a terminal alone: elsewhere the code may remain unseen. */
function isOnDevice({ device, clientId, clientSecretFile, tokenFile }: LoginOptions): boolean {
  const named = [clientId, clientSecretFile, tokenFile].some((one) => one !== undefined)
  if (device === true && named)
    throw wrongUsage(say`--device is in place of --client-id and --token-file: leave them out`)
  return device === true || (!named && process.stderr.isTTY)
}

async function personOf(place: Place) {
  const { signInOnDevice } = await import('./device-login.ts')
  const { session, scopes } = await signInOnDevice(place)
  return { credentials: { session }, scopes, person: session.person }
}

async function programOf(place: Place, credentials: Profile['credentials']) {
  const gateway = await connectTo({ ...place, credentials }, '--')
  return { credentials, scopes: await gateway.signIn().finally(gateway.close), person: null }
}

function placeOf(url: string, { ca, cert, key }: LoginOptions): Place {
  const certificate = pairOf(cert, key, '--cert and --key')
  return {
    api: baseOf(url),
    ca: ca === undefined ? null : resolve(ca),
    certificate: certificate && { cert: resolve(certificate.cert), key: resolve(certificate.key) },
  }
}

function credentialsFrom({ clientId, clientSecretFile, tokenFile }: LoginOptions): Profile['credentials'] {
  if (tokenFile !== undefined) {
    if (clientId !== undefined || clientSecretFile !== undefined)
      throw wrongUsage(say`--token-file is in place of --client-id: leave one of them out`)
    return { token: secretFrom('--token-file', tokenFile) }
  }
  if (clientId === undefined || clientSecretFile === undefined)
    throw wrongUsage(
      say`give --client-id and --client-secret-file of a client ("${{ command: COMMAND }} clients create" makes one on the gateway's machine), --token-file, or --device for a person`,
    )
  return { clientId, clientSecret: secretFrom('--client-secret-file', clientSecretFile) }
}

/** The profile is a file of its own: the one that was given stays where it is. */
function secretFrom(option: string, file: string): string {
  const secret = readToken(option, file)
  if (file !== '-' && (statSync(file).mode & 0o007) !== 0)
    tell(say`${{ file }} holds a secret, and other users may read it: chmod 600 ${{ file }}, and change the secret`)
  return secret
}

async function list({ json }: LoginOptions): Promise<void> {
  const names = profileNames()
  if (names.length === 0 && json !== true)
    return printText(say`no profiles; make one with: ${{ command: COMMAND }} login URL`)
  for (const name of names) {
    const { api, credentials } = readProfile(name)
    const who = whoIn(credentials)
    await (json === true
      ? printLine({ profile: name, api, client: who })
      : print(`${name}  ${api}  ${printable(who)}\n`))
  }
}

function whoIn(credentials: Profile['credentials']): string {
  if ('token' in credentials) return 'token'
  return 'session' in credentials ? credentials.session.person : credentials.clientId
}

export function logoutCommand(): Command {
  return new Command('logout')
    .option('--profile <name>', `name of the profile (default: ${DEFAULT_PROFILE})`)
    .option('--json', 'print one JSON object')
    .action(action(logout))
}

async function logout({ profile = DEFAULT_PROFILE, json }: LoginOptions): Promise<void> {
  checkProfileName(profile)
  const { removed, isPerson, problem } = profileNames().includes(profile)
    ? await withProfile(profile, () => removeWith(profile))
    : { removed: false, isPerson: false, problem: null }
  const text = removed ? removedText(profile, isPerson, problem) : `there is no profile ${profile}\n`
  const ended = isPerson ? { signedOut: problem === null } : {}
  await printResult({ json }, { profile, removed, ...ended }, text)
  if (!removed) process.exitCode = 1
}

/** @property problem why the sign-in of a person goes on; null: it does not */
async function removeWith(name: string) {
  const isPerson = isSession(name)
  const { endSession } = await import('./session.ts')
  const problem = isPerson ? await endSession(name) : null
  return { removed: removeProfile(name), isPerson, problem }
}

/** A damaged profile is removed, too. */
function isSession(name: string): boolean {
  try {
    return 'session' in readProfile(name).credentials
  } catch {
    return false
  }
}

function removedText(name: string, isPerson: boolean, problem: string | null): string {
  if (!isPerson)
    return `the profile ${name} is removed; its secret stays valid until it is rotated or revoked at the gateway\n`
  if (problem === null) return `the profile ${name} is removed, and its sign-in has ended\n`
  return `the profile ${name} is removed; its sign-in goes on at the provider: ${problem}\n`
}
