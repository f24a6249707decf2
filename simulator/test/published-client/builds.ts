import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Environment, INTERFACES, type Interface } from '../../src/interfaces.ts'
import type { RunningSimulator } from '../running.ts'

/** The service's published Node client has two builds, each with a table of base addresses. */
export const BUILDS = ['esm', 'cjs'] as const
export type Build = (typeof BUILDS)[number]

/** Options of the client's constructor. */
export interface ClientOptions {
  readonly sandbox: boolean
  readonly client_id: string
  readonly client_secret: string
  /** A file or base64: PKCS#12, or PEM with `pemKey`. */
  readonly certificate?: string
  readonly pemKey?: string
  readonly cert_base64?: boolean
  readonly cache?: boolean
  readonly validateMtls?: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
export type Client = Record<string, (...args: unknown[]) => Promise<any>>

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[]; message: string }[] } }
}

export interface Api {
  URL: { PRODUCTION: string; SANDBOX: string }
  readonly ENDPOINTS: Readonly<Record<string, { readonly route: string; readonly method: string }>>
}

export interface LoadedBuild {
  readonly Client: new (options: ClientOptions) => Client
  /** All that the client exports; its schemas by name. */
  readonly exported: Readonly<Record<string, Schema | undefined>>
  /** Its table of base addresses and routes, which it reads at each call. */
  readonly apis: Record<string, Api>
}

/** The client's names of the interfaces. */
export const API_OF: Readonly<Record<Interface, string>> = {
  account: 'PIX',
  payment: 'PAGAMENTOS',
  registration: 'CONTAS',
  'open-banking': 'OPENFINANCE',
  charges: 'DEFAULT',
}

export function urlOf({ URL: urls }: Api, environment: Environment): string {
  return environment === 'sandbox' ? urls.SANDBOX : urls.PRODUCTION
}

const PACKAGE = 'sdk-node-apis-efi'
const require = createRequire(import.meta.url)
const folder = dirname(require.resolve(`${PACKAGE}/package.json`))

/** One build, as a program loads it by the package's name. */
export async function loadBuild(build: Build): Promise<LoadedBuild> {
  const exported = build === 'esm' ? await import(PACKAGE) : require(PACKAGE)
  const table =
    build === 'esm'
      ? await import(pathToFileURL(join(folder, 'dist/esm/constants/endpoints.js')).href)
      : require(join(folder, 'dist/cjs/internal/constants/endpoints.js'))
  return { Client: exported.default, exported, apis: table.endpoints.APIS }
}

/** Makes the build's table lead to the simulator. @returns what makes it lead to the service again */
export function leadTo(running: RunningSimulator, { apis }: LoadedBuild): () => void {
  const published = INTERFACES.map((name) => ({ api: apis[API_OF[name]] as Api, name, urls: apis[API_OF[name]]?.URL }))
  for (const { api, name } of published) {
    const version = /\/v\d$/.exec(api.URL.SANDBOX)?.[0] ?? ''
    api.URL = {
      SANDBOX: running.baseOf(name, 'sandbox') + version,
      PRODUCTION: running.baseOf(name, 'production') + version,
    }
  }
  return () => {
    for (const { api, urls } of published) api.URL = urls as Api['URL']
  }
}
