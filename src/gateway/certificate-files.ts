import { dirname } from 'node:path'
import { activeFilesOf, isShortOfDescriptors, observedFoldersOf } from '../certificates/trust/chain-folder.ts'
import type { Config, TlsFiles } from '../config/config.ts'
import { serviceFilesOf } from './service-in-use.ts'

function pairsOf({ callbacks, chargeNotifications, api, forwarding }: Config): TlsFiles[] {
  return [callbacks, chargeNotifications?.tls, api.tls, forwarding.clientCertificate].filter((files) => files != null)
}

/** Every file from which certificates and keys are read. */
export function filesOf(config: Config): string[] {
  return [
    ...serviceFilesOf(config),
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [certificate, privateKey]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [...readableOr(chain, [chain], activeFilesOf), ...crl]),
    ...(config.api.clientCa === null ? [] : [config.api.clientCa]),
    ...config.api.clientCrl,
    ...config.authorityFiles.map(({ file }) => file),
  ]
}

/** A folder that cannot be read is a change: the reading of the chains reports it, and the other files are still watched. */
function readableOr(chain: string, otherwise: string[], list: (chain: string) => string[]): string[] {
  try {
    return list(chain)
  } catch (error) {
    if (isShortOfDescriptors(error)) throw error
    return otherwise
  }
}

/** Their folders: a file may be replaced. */
export function foldersOf(config: Config): string[] {
  return [
    ...serviceFilesOf(config).map((file) => dirname(file)),
    ...pairsOf(config).flatMap(({ certificate, privateKey }) => [dirname(certificate), dirname(privateKey)]),
    ...config.callbacks.trust.flatMap(({ chain, crl }) => [
      ...readableOr(chain, [chain, dirname(chain)], observedFoldersOf),
      ...crl.map((file) => dirname(file)),
    ]),
    ...(config.api.clientCa === null ? [] : [dirname(config.api.clientCa)]),
    ...config.api.clientCrl.map((file) => dirname(file)),
    ...config.authorityFiles.map(({ file }) => dirname(file)),
  ]
}
