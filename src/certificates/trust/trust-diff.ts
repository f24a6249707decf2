import type { X509Certificate } from 'node:crypto'
import type { Realm } from '../../domain/realm.ts'
import {
  type CALLER_PROBLEMS,
  type CHAIN_CHANGES,
  type CHAIN_ROLES,
  issuerOfCaller,
  issuersOf,
  type Trust,
} from '../../domain/trust.ts'
import { explainOutOfDate, hasIssued } from '../files/pem.ts'
import { isForClients } from '../live/key-usage.ts'
import { mayCallItself } from './trust.ts'

export type ChainRole = (typeof CHAIN_ROLES)[number]

export interface ChainChange {
  readonly change: (typeof CHAIN_CHANGES)[number]
  readonly role: ChainRole
  /** Whether it may issue client certificates or be one. */
  readonly mayCall: boolean
  readonly certificate: X509Certificate
}

/** The certificates that `after` adds to and removes from `before`, and those that both have. Added ones first. */
export function diffChains(before: readonly X509Certificate[], after: readonly X509Certificate[]): ChainChange[] {
  const [old, young] = [fingerprints(before), fingerprints(after)]
  const changed = (
    change: ChainChange['change'],
    certificates: readonly X509Certificate[],
    all: readonly X509Certificate[],
  ) =>
    certificates.map((certificate) => {
      const role = roleOf(certificate, all)
      return { change, role, mayCall: role === 'issuing' && mayCallItself(certificate), certificate }
    })
  return [
    ...changed(
      'added',
      after.filter((certificate) => !old.has(certificate.fingerprint256)),
      after,
    ),
    ...changed(
      'removed',
      before.filter((certificate) => !young.has(certificate.fingerprint256)),
      before,
    ),
    ...changed(
      'kept',
      after.filter((certificate) => old.has(certificate.fingerprint256)),
      after,
    ),
  ]
}

export interface SeenCaller {
  readonly certificate: X509Certificate
  readonly environment: Realm
  /** ms since 1970. */
  readonly lastSeenAt: number
}

export interface LockedOutCaller {
  readonly caller: SeenCaller
  readonly problem: (typeof CALLER_PROBLEMS)[number]
}

/** Earlier callers that `trust` would refuse, or assign to another environment. */
export function lockedOutCallers(
  trust: Pick<Trust, 'issuing'>,
  callers: readonly SeenCaller[],
  now: Date,
): LockedOutCaller[] {
  return callers.flatMap((caller) => {
    const problem = problemOf(trust, caller, now)
    return problem === null ? [] : { caller, problem }
  })
}

function problemOf(
  { issuing }: Pick<Trust, 'issuing'>,
  caller: SeenCaller,
  now: Date,
): LockedOutCaller['problem'] | null {
  const above = issuersOf(caller.certificate, issuing).map(({ certificate }) => certificate)
  const hasClientUse = [caller.certificate, ...above].every(isForClients)
  const issuer = issuerOfCaller(caller.certificate, issuing, { now: now.getTime(), hasClientUse })
  if (typeof issuer === 'string') return issuer
  if (issuer.environment !== caller.environment) return 'other_environment'
  return explainOutOfDate(issuer.certificate, now) === null ? null : 'issuer_out_of_date'
}

function roleOf(certificate: X509Certificate, all: readonly X509Certificate[]): ChainRole {
  const issuedOthers = all.some((other) => other !== certificate && hasIssued(certificate, other))
  if (!issuedOthers) return 'issuing'
  return hasIssued(certificate, certificate) ? 'root' : 'intermediate'
}

function fingerprints(certificates: readonly X509Certificate[]): Set<string> {
  return new Set(certificates.map((certificate) => certificate.fingerprint256))
}
