import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import type { ConfigWithSecrets } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { PortariaError } from '../../src/platform/errors.ts'

/** The minimum that must work, as plain data that a test may change. */
export function minimum() {
  return {
    callbacks: {
      host: '0.0.0.0',
      port: 8443,
      certificate: '../certs/server.crt',
      privateKey: '../certs/server.key',
      trust: [
        { environment: 'production', chain: '../certs/trust/production.pem' },
        { environment: 'sandbox', chain: '../certs/trust/sandbox.pem' },
      ],
      kinds: {
        registration: { path: '/callbacks/registration' },
        payment: { path: '/callbacks/payment' },
        charge: { path: '/callbacks/charge' },
      },
    },
    api: { host: '127.0.0.1', port: 8080 },
    storage: { url: 'sqlite:../data/portaria.db' },
    forwarding: { allowedNetworks: [] },
  }
}

/** The minimum with one value replaced, at a path such as `callbacks.trust.0.chain`; undefined removes the key. */
export function minimumWith(path: string, value: unknown): object {
  const data = structuredClone(minimum()) as Record<string, unknown>
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let place = data
  for (const key of keys) {
    place[key] ??= {}
    place = place[key] as Record<string, unknown>
  }
  if (value === undefined) delete place[last]
  else place[last] = value
  return data
}

/** A directory of its own for one test. */
export function directory(files: Record<string, string | Buffer> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'portaria-config-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return path
}

/** Writes the configuration beside its files and loads it. */
export function load(config: object | string, files: Record<string, string | Buffer> = {}): ConfigWithSecrets {
  const text = typeof config === 'string' ? config : stringify(config)
  const path = directory({ ...files, 'portaria.yaml': text })
  return loadConfig(join(path, 'portaria.yaml'))
}

/** The mistakes that are reported, without line numbers. */
export function mistakes(config: object | string, files: Record<string, string | Buffer> = {}): string[] {
  return errorOf(() => load(config, files)).details.map((detail) => detail.replace(/ \(line \d+\)/, ''))
}

export function errorOf(attempt: () => unknown): PortariaError {
  try {
    attempt()
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
