import type { Command } from 'commander'
import type { trustInUseSchema } from '../../api/gateway/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { nameOf } from '../../certificates/files/pem.ts'
import { type Consequences, entryFor, SEEN_MS } from '../../certificates/trust/trust-change.ts'
import type { ChainChange, LockedOutCaller } from '../../certificates/trust/trust-diff.ts'
import type { Config, TrustConfig } from '../../config/config.ts'
import { daysLeft } from '../../domain/expiry.ts'
import type { Environment, Realm } from '../../domain/realm.ts'
import type { SeenPeer } from '../../domain/store-reader.ts'
import { askGateway } from '../control-client.ts'
import { translated } from '../language/language.ts'
import { tableOf } from '../listing/table.ts'
import { environmentOption, institutionOption } from '../options.ts'
import { printable } from '../output.ts'
import { readIfThere } from '../reader.ts'

/** Whose chain it is; `realmNamed` reads them. */
export interface RealmOptions {
  readonly environment: Environment
  readonly institution?: string
}

export function withRealm(command: Command): Command {
  return command
    .addOption(environmentOption('environment of the chain: ').makeOptionMandatory())
    .addOption(institutionOption())
}

/** The entry of a realm whose chains are changed. @throws PortariaError without one, or with several */
export function entryOf({ callbacks, file }: Config, environment: Realm): TrustConfig {
  return entryFor(callbacks.trust, environment, file)
}

/** With what the running gateway uses. @throws PortariaError as `entryOf` */
export async function questionOf(config: Config, environment: Realm) {
  const entry = entryOf(config, environment)
  const used = (await trustInUse(config))?.used ?? []
  const inUse = used.map((one) => ({ ...one, environment: one.environment as Realm }))
  return { entries: config.callbacks.trust, entry, inUse }
}

export type TrustInUse = View<typeof trustInUseSchema>

/** The chains of the running gateway; null: none runs, or this user may not ask it. */
export async function trustInUse(config: Config): Promise<TrustInUse | null> {
  return askGateway<TrustInUse>(config, 'GET', '/v1/gateway/trust').catch(() => null)
}

/** The callers of the last 30 days; empty before the first start. */
export async function seenPeers(config: Config, now: number): Promise<SeenPeer[]> {
  return readIfThere(config, async (reader) => reader?.listPeers(now - SEEN_MS) ?? [])
}

/** @param mayCall whether the issuing certificate may also be used as a peer certificate */
export function issuingText(mayCall: boolean): string {
  return mayCall ? 'issues callers, may call itself' : 'issues callers, may not call itself'
}

export function changesText(changes: readonly ChainChange[], now = Date.now()): string {
  if (changes.every(({ change }) => change === 'kept')) return 'nothing is added or removed\n'
  return tableOf(
    ['', 'what it does', { name: 'certificate', cut: 'left' }, 'expires', 'days left', 'SHA-256'],
    changes.map(({ change, role, mayCall, certificate }) => [
      translated({ added: '+ added', removed: '- removed', kept: '= kept' }[change]),
      translated({ issuing: issuingText(mayCall), intermediate: 'intermediate', root: 'root' }[role]),
      nameOf(certificate),
      certificate.validToDate.toISOString().slice(0, 10),
      daysLeft(certificate.validToDate.getTime(), now),
      certificate.fingerprint256,
    ]),
  )
}

const PROBLEMS: Record<LockedOutCaller['problem'], string> = {
  caller_is_ca:
    'a CA certificate is accepted only if it is an installed issuing certificate with the usage digitalSignature',
  sibling_issuer: 'no installed certificate has issued it',
  caller_denied: 'it is denied (deny)',
  certificate_revoked: 'it, or a certificate above it, is revoked',
  crl_expired: 'the revocation list of an authority above it is out of date (crlExpired: refuse)',
  wrong_usage: 'it is not for TLS clients, and the chain has no usage: any',
  caller_not_allowed: 'no rule under allow matches it',
  other_environment: 'its issuer belongs to another environment or institution',
  issuer_out_of_date: 'the certificate that issued it is out of date',
}

export function refusedText({ seen, refused }: Consequences): string {
  if (seen === 0) return 'No caller of this environment was seen in the last 30 days.\n'
  if (refused.length === 0) return `All ${seen} callers seen in the last 30 days are accepted.\n`
  const lines = refused.map(({ caller, problem }) => {
    const hour = `${new Date(caller.lastSeenAt).toISOString().slice(0, 16)}Z`
    return `  ${printable(nameOf(caller.certificate))}, last seen in the hour from ${hour}: ${PROBLEMS[problem]}\n`
  })
  return `REFUSED would be ${refused.length} of ${seen} callers seen in the last 30 days:\n${lines.join('')}`
}
