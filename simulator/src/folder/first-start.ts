import type { Environment } from '../interfaces.ts'
import { type AccountEntry, type ApplicationsFile, makeApplications } from './applications.ts'
import {
  issueAuthority,
  issueClient,
  issueServer,
  type KeyPair,
  makeEcKey,
  makeRsaKey,
  type Validity,
} from './certificates.ts'
import { type NewFiles, publicFile, secretFile } from './disk.ts'
import * as layout from './layout.ts'
import { writePkcs12 } from './pkcs12.ts'

/** Every file of a new folder: authorities, chains, certificates, accounts and applications, all of them new. */
export async function makeFirstFiles(now: Date, hostNames: readonly string[]): Promise<NewFiles> {
  const root = await issueAuthority({ name: 'Simulated service root', now })
  const applications = makeApplications()
  const parts = await Promise.all([
    makeServer(root, now, hostNames),
    makeEnvironment('production', applications, root, now),
    makeEnvironment('sandbox', applications, root, now),
  ])
  return Object.assign(
    {
      [layout.ROOT]: secretFile(root.cert + root.key),
      [layout.SERVER_CA]: publicFile(root.cert),
      [layout.APPLICATIONS]: secretFile(`${JSON.stringify(applications, null, 2)}\n`),
    },
    ...parts,
  )
}

/** A new intermediate that issues the service's client certificates. */
export function makeServiceAuthority(
  environment: Environment,
  { generation, root, now }: { generation: number; root: KeyPair; now: Date },
): Promise<KeyPair> {
  const name = `Simulated service ${environment} CA ${generation}`
  return issueAuthority({ name, issuer: root, now })
}

/** A client certificate of the service with its intermediate. */
export async function makeServiceClient(
  environment: Environment,
  issuer: KeyPair,
  now: Date,
  validity?: Validity,
): Promise<KeyPair> {
  const key = await makeEcKey()
  const leaf = await issueClient({ name: serviceName(environment), key, issuer, now, validity })
  return { cert: leaf + issuer.cert, key }
}

/** The common name of every client certificate of the service. */
export function serviceName(environment: Environment): string {
  return `Simulated service ${environment}`
}

async function makeServer(root: KeyPair, now: Date, hostNames: readonly string[]): Promise<NewFiles> {
  const issuer = await issueAuthority({ name: 'Simulated service server CA', issuer: root, now })
  const key = await makeEcKey()
  const leaf = await issueServer({ key, issuer, now, hostNames })
  return {
    [layout.SERVER_AUTHORITY]: secretFile(issuer.cert + issuer.key),
    [layout.SERVER.cert]: publicFile(leaf + issuer.cert),
    [layout.SERVER.key]: secretFile(key),
  }
}

async function makeEnvironment(
  environment: Environment,
  applications: ApplicationsFile,
  root: KeyPair,
  now: Date,
): Promise<NewFiles> {
  const authority = await makeServiceAuthority(environment, { generation: 1, root, now })
  const client = await makeServiceClient(environment, authority, now)
  const name = `Simulated service ${environment} accounts CA`
  const accountAuthority = await issueAuthority({ name, issuer: root, now })
  const { cert, key } = layout.clientFiles(environment, 1)
  const accounts = applications[environment].accounts.map((account) =>
    makeAccount(environment, account, accountAuthority, now),
  )
  return Object.assign(
    {
      [layout.authorityFile(environment, 1)]: secretFile(authority.cert + authority.key),
      [layout.chainFile(environment, 1)]: publicFile(authority.cert + root.cert),
      [cert]: publicFile(client.cert),
      [key]: secretFile(client.key),
      [layout.accountAuthorityFile(environment)]: secretFile(accountAuthority.cert + accountAuthority.key),
    },
    ...(await Promise.all(accounts)),
  )
}

async function makeAccount(
  environment: Environment,
  { files, name }: AccountEntry,
  issuer: KeyPair,
  now: Date,
): Promise<NewFiles> {
  const pair = await makeAccountPair(name, issuer, now)
  const { p12, cert, key, pem } = layout.accountFiles(environment, files)
  return {
    [p12]: secretFile(await writePkcs12(pair, name)),
    [cert]: publicFile(pair.cert),
    [key]: secretFile(pair.key),
    [pem]: secretFile(pair.cert + pair.key),
  }
}

/** A client certificate of an account, RSA as those of the service are, without its issuer. */
export async function makeAccountPair(name: string, issuer: KeyPair, now: Date): Promise<KeyPair> {
  const key = await makeRsaKey()
  return { cert: await issueClient({ name, key, issuer, now }), key }
}
