import { isDeepStrictEqual } from 'node:util'
import type { Config, InstitutionConfig } from './config.ts'

/**
 * Keys that a reload applies without a restart: certificates, trust, the destinations of the file, allowed networks, the service's client and the
 * addresses that it registers, and alarms with their links.
 */
const RELOADED: readonly string[] = [
  'callbacks.certificate',
  'callbacks.privateKey',
  'callbacks.trust',
  'chargeNotifications.tls',
  'chargeNotifications.publicUrl',
  'certificates',
  'api.publicUrl',
  'api.tls',
  'api.clientCa',
  'api.clientCrl',
  'api.clientCrlExpired',
  'forwarding.clientCertificate',
  'forwarding.allowedNetworks',
  'destinations',
  'authorityFiles',
  'service',
  'alarms',
  // Each changed key is compared by itself.
  'sha256',
  // Only commands read it.
  'callbacks.publicUrl',
  // `portaria check` reads it itself.
  'check',
]

/** Keys that differ and take effect only after a restart, as written in the file. Never values: they may be secret. */
export function keysThatNeedRestart(before: Config, after: Config): string[] {
  return Object.keys({ ...before, ...after }).flatMap((section) => {
    const [old, young]: unknown[] = [before[section as keyof Config], after[section as keyof Config]]
    if (isDeepStrictEqual(old, young) || RELOADED.includes(section)) return []
    if (section === 'institutions') return keysOfInstitutions(before, after)
    if (!isSection(old) || !isSection(young)) return [section]
    return Object.keys({ ...old, ...young })
      .filter((key) => !isDeepStrictEqual(old[key], young[key]))
      .map((key) => `${section}.${key}`)
      .filter((key) => !RELOADED.includes(key) || isSwitched(before, after, key))
      .flatMap((key) => keysAsWritten(key, before, after))
  })
}

/** `callbacks.kinds` has those of every institution. */
function keysAsWritten(key: string, before: Config, after: Config): string[] {
  if (key === 'storage.database') return keysOfDatabase(before, after)
  return key === 'callbacks.kinds' ? keysOfKinds(before, after) : [asWritten(key)]
}

function keysOfKinds(before: Config, after: Config): string[] {
  const kindsIn = ({ callbacks }: Config, name: string | null) =>
    callbacks.kinds.filter(({ institution }) => institution === name)
  const isIn = ({ institutions }: Config, name: string) => institutions.some((one) => one.name === name)
  const named = before.institutions.map(({ name }) => name).filter((name) => isIn(after, name))
  return [null, ...named]
    .filter((name) => !isDeepStrictEqual(kindsIn(before, name), kindsIn(after, name)))
    .map((name) => (name === null ? 'callbacks.kinds' : `institutions.${name}.kinds`))
}

/** One that comes or goes is named whole. */
function keysOfInstitutions(before: Config, after: Config): string[] {
  const [old, young] = [before, after].map(({ institutions }) => new Map(institutions.map((one) => [one.name, one])))
  const names = new Set([...before.institutions, ...after.institutions].map(({ name }) => name))
  return [...names].flatMap((name) => {
    const [one, other] = [old?.get(name), young?.get(name)]
    if (one === undefined || other === undefined) return [`institutions.${name}`]
    return (Object.keys(one) as (keyof InstitutionConfig)[])
      .filter((key) => !isDeepStrictEqual(one[key], other[key]))
      .map((key) => `institutions.${name}.${asWritten(key)}`)
  })
}

/** TLS of a listener, and its request for client certificates, change only with a restart. */
function isSwitched(before: Config, after: Config, key: string): boolean {
  if (key === 'api.tls') return (before.api.tls === null) !== (after.api.tls === null)
  if (key === 'api.clientCa') return (before.api.clientCa === null) !== (after.api.clientCa === null)
  return key === 'chargeNotifications.tls' && !before.chargeNotifications?.tls !== !after.chargeNotifications?.tls
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object has units in its names, the file in its values. */
function asWritten(key: string): string {
  return key.replace(/(Ms|Bytes)$/, '')
}

/** The keys of `storage` that name the database. */
function keysOfDatabase(before: Config, after: Config): string[] {
  const [old, young] = [before, after].map(({ storage }): Record<string, unknown> => ({ ...storage.database }))
  const changed = Object.keys({ ...old, ...young }).filter((key) => (old?.[key] ?? null) !== (young?.[key] ?? null))
  return [
    ...new Set(changed.map((key) => (/^(passwordFile|authorities)$/.test(key) ? `storage.${key}` : 'storage.url'))),
  ]
}
