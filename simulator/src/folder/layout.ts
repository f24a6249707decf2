/**
 * The files of the folder. A generation of an environment is an intermediate with the service's client certificate: 1 at first, one more with each
 * rotation. Its files are added and never replaced, so the numbers of the files alone say which generation is published and which is used.
 */

import { basename } from 'node:path'
import type { Environment } from '../interfaces.ts'

export const ROOT = 'authority/root.pem'
export const SERVER_AUTHORITY = 'authority/server.pem'
/** The root alone, for programs that call the simulator. */
export const SERVER_CA = 'server-ca.crt'
export const SERVER = { cert: 'server.crt', key: 'server.key' } as const
export const APPLICATIONS = 'applications.json'

/** Certificate and key of the intermediate that issues the account certificates of an environment. */
export function accountAuthorityFile(environment: Environment): string {
  return `authority/accounts-${environment}.pem`
}

export interface AccountFiles {
  /** PKCS#12 with an empty password. */
  readonly p12: string
  readonly cert: string
  readonly key: string
  /** Certificate and key in one file. */
  readonly pem: string
}

export function accountFiles(environment: Environment, name: string): AccountFiles {
  const base = `accounts/${environment}-${name}`
  return { p12: `${base}.p12`, cert: `${base}.crt`, key: `${base}.key`, pem: `${base}.pem` }
}

/** Certificate and key of the intermediate that issues the service's client certificate. */
export function authorityFile(environment: Environment, generation: number): string {
  return `authority/${environment}${suffix(generation)}.pem`
}

/** The intermediate and the root, as integrators install them. */
export function chainFile(environment: Environment, generation: number): string {
  return `chains/${environment}${suffix(generation)}.pem`
}

/** The service's client certificate with its intermediate. */
export function clientFiles(environment: Environment, generation: number): { cert: string; key: string } {
  const base = `service/${environment}-client${suffix(generation)}`
  return { cert: `${base}.crt`, key: `${base}.key` }
}

/** The highest generation among the names of one subfolder; 0 without any. */
export function highestGeneration(names: readonly string[], fileOf: (generation: number) => string): number {
  const numbers = names.map((name) => Number(/-(\d+)\.\w+$/.exec(name)?.[1] ?? 1))
  return Math.max(0, ...numbers.filter((number) => names.includes(basename(fileOf(number)))))
}

function suffix(generation: number): string {
  return generation === 1 ? '' : `-${generation}`
}
