import { isDeepStrictEqual } from 'node:util'
import type { Config } from './config.ts'

/** What a reload takes up by itself: certificates, trust, and the file's destinations. */
const RELOADED: readonly string[] = [
  'callbacks.certificate',
  'callbacks.privateKey',
  'callbacks.trust',
  'chargeNotifications.tls',
  'api.tls',
  'api.clientCa',
  'forwarding.clientCertificate',
  'destinations',
  'authorityFiles',
]

/** The configuration's keys that differ and take effect only after a restart, as they are written in the file. Never a value: it may be secret. */
export function keysThatNeedRestart(before: Config, after: Config): string[] {
  return Object.keys({ ...before, ...after }).flatMap((section) => {
    const [old, young]: unknown[] = [before[section as keyof Config], after[section as keyof Config]]
    if (isDeepStrictEqual(old, young) || RELOADED.includes(section)) return []
    if (!isSection(old) || !isSection(young)) return [section]
    return Object.keys({ ...old, ...young })
      .filter((key) => !isDeepStrictEqual(old[key], young[key]))
      .map((key) => `${section}.${key}`)
      .filter((key) => !RELOADED.includes(key) || isSwitched(before, after, key))
      .map(asWritten)
  })
}

/** TLS of a listener comes or goes only with the listener, and so does the asking for certificates. */
function isSwitched(before: Config, after: Config, key: string): boolean {
  if (key === 'api.tls') return (before.api.tls === null) !== (after.api.tls === null)
  if (key === 'api.clientCa') return (before.api.clientCa === null) !== (after.api.clientCa === null)
  return key === 'chargeNotifications.tls' && !before.chargeNotifications?.tls !== !after.chargeNotifications?.tls
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Units are in the names of the object, but in the values of the file. */
function asWritten(key: string): string {
  return key === 'storage.file' ? 'storage.url' : key.replace(/(Ms|Bytes)$/, '')
}
