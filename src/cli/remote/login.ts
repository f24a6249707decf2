import { resolve } from 'node:path'
import { Command } from 'commander'
import { COMMAND } from '../../platform/installation.ts'
import { action, print, printLine, printResult, printText, wrongUsage } from '../output.ts'
import { baseOf, connectTo, pairOf, readToken } from './connection.ts'
import { DEFAULT_PROFILE, type Profile, profileNames, readProfile, removeProfile, writeProfile } from './profiles.ts'

interface LoginOptions {
  readonly clientId?: string
  readonly clientSecretFile?: string
  readonly tokenFile?: string
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
  if (url === undefined) throw wrongUsage('give the base address of the API, https://HOST:PORT')
  const name = options.profile ?? DEFAULT_PROFILE
  const profile = profileFrom(url, options)
  const gateway = await connectTo(profile, '--')
  const scopes = await gateway.signIn().finally(gateway.close)
  const file = writeProfile(name, profile)
  const may = scopes === null ? '' : `It may: ${scopes}\n`
  const use = `Use it with --profile ${name}, or with: export PORTARIA_PROFILE=${name}\n`
  const text = `${profile.api} is saved as the profile ${name}, in ${file}\n${may}${use}`
  await printResult(options, { profile: name, api: profile.api, scopes: scopes?.split(' ') ?? null, file }, text)
}

function profileFrom(url: string, { clientId, clientSecretFile, tokenFile, ca, cert, key }: LoginOptions): Profile {
  const api = baseOf(url)
  const certificate = pairOf(cert, key, '--cert and --key')
  const paths = {
    ca: ca === undefined ? null : resolve(ca),
    certificate: certificate && { cert: resolve(certificate.cert), key: resolve(certificate.key) },
  }
  if (tokenFile !== undefined) {
    if (clientId !== undefined || clientSecretFile !== undefined)
      throw wrongUsage('--token-file is in place of --client-id: leave one of them out')
    return { api, credentials: { token: readToken('--token-file', tokenFile) }, ...paths }
  }
  if (clientId === undefined || clientSecretFile === undefined)
    throw wrongUsage(
      `give --client-id and --client-secret-file of a client ("${COMMAND} clients create" makes one on the gateway's machine), or --token-file`,
    )
  const clientSecret = readToken('--client-secret-file', clientSecretFile)
  return { api, credentials: { clientId, clientSecret }, ...paths }
}

async function list({ json }: LoginOptions): Promise<void> {
  const names = profileNames()
  if (names.length === 0 && json !== true) return printText(`no profiles; make one with: ${COMMAND} login URL\n`)
  for (const name of names) {
    const { api, credentials } = readProfile(name)
    const who = 'token' in credentials ? 'token' : credentials.clientId
    await (json === true ? printLine({ profile: name, api, client: who }) : print(`${name}  ${api}  ${who}\n`))
  }
}

export function logoutCommand(): Command {
  return new Command('logout')
    .option('--profile <name>', `name of the profile (default: ${DEFAULT_PROFILE})`)
    .option('--json', 'print one JSON object')
    .action(action(logout))
}

async function logout({ profile = DEFAULT_PROFILE, json }: LoginOptions): Promise<void> {
  const removed = removeProfile(profile)
  const text = removed
    ? `the profile ${profile} is removed; its secret stays valid until it is rotated or revoked at the gateway\n`
    : `there is no profile ${profile}\n`
  await printResult({ json }, { profile, removed }, text)
  if (!removed) process.exitCode = 1
}
