import { type Environment, institutionOf, isInRealm, type Realm } from '../realm.ts'
import type { ExpectedSubject } from './reconcile-store.ts'
import { CHARGE_TYPES, type ChargeType, type SubjectType } from './subjects.ts'

/** Which kinds of an environment the service is asked about; null: it is not asked about these. */
export interface ReconciledKinds {
  readonly environment: Realm
  readonly payments: string | null
  readonly openings: string | null
  readonly charges: string | null
}

export const LONGEST_SUBJECT = 200

/** null: an app may expect it. */
export function problemOfSubject(subject: string): string | null {
  if (subject === '') return 'must not be empty'
  if (subject.length > LONGEST_SUBJECT) return `must have at most ${LONGEST_SUBJECT} characters`
  return /\p{Cc}/u.test(subject) || !subject.isWellFormed() ? 'must not have control characters' : null
}

/** A subject as an app or a line of a file names it. */
export interface NamedSubject {
  readonly kind: string
  /** Left out: the unnamed one, or the only one. */
  readonly institution?: string | undefined
  readonly environment: Environment
  /** Of a charge; left out: a charge itself. */
  readonly type?: ChargeType | undefined
}

export type NamedMember = keyof NamedSubject

/** What a subject is, but for its id; or which member is wrong, and why. */
export function expectedOf(
  named: NamedSubject,
  reconciled: readonly ReconciledKinds[],
): Omit<ExpectedSubject, 'subject'> | { readonly member: NamedMember; readonly problem: string } {
  const { kind, institution, environment, type } = named
  const there = reconciled.filter((one) => isInRealm({ institution, environment }, one.environment))
  const found = there.find((one) => institutionOf(one.environment) === null) ?? there[0]
  if (institution === undefined && there.length > 1 && found !== undefined && institutionOf(found.environment) !== null)
    return { member: 'institution', problem: `is missing: ${namesOf(there)} are reconciled` }
  const subjectType = found && typeOf(kind, type, found)
  if (found === undefined || subjectType === undefined)
    return { member: 'kind', problem: notReconciled(kind, there.length > 0 ? there : reconciled) }
  if (type !== undefined && !isChargeType(subjectType))
    return { member: 'type', problem: `is only for ${found.charges ?? 'charges'}` }
  return { kind, environment: found.environment, type: subjectType }
}

function typeOf(kind: string, type: ChargeType | undefined, kinds: ReconciledKinds): SubjectType | undefined {
  if (kind === kinds.payments) return 'payment'
  if (kind === kinds.openings) return 'opening'
  return kind === kinds.charges ? (type ?? 'charge') : undefined
}

function isChargeType(type: SubjectType): type is ChargeType {
  return CHARGE_TYPES.some((one) => one === type)
}

function namesOf(kinds: readonly ReconciledKinds[]): string {
  return kinds.map(({ environment }) => institutionOf(environment)).join(', ')
}

function notReconciled(kind: string, reconciled: readonly ReconciledKinds[]): string {
  const all = reconciled.flatMap(({ environment, payments, openings, charges }) =>
    [payments, openings, charges].flatMap((one) => (one === null ? [] : [`${one} (${environment})`])),
  )
  const known = all.length === 0 ? 'no kind is' : `those that are: ${all.join(', ')}`
  return `${JSON.stringify(kind.slice(0, 64))} is not reconciled there; ${known}`
}
