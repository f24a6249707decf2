import type { Realm } from '../realm.ts'

/** What the service can be asked about, by the endpoint that tells its state. */
export const SUBJECT_TYPES = ['payment', 'opening', 'charge', 'subscription', 'carnet'] as const
export type SubjectType = (typeof SUBJECT_TYPES)[number]

/** Those of the charges interface. */
export const CHARGE_TYPES = ['charge', 'subscription', 'carnet'] as const
export type ChargeType = (typeof CHARGE_TYPES)[number]

export interface SubjectKey {
  readonly kind: string
  readonly environment: Realm
  readonly subject: string
}

/** A subject that was seen in an event, or that an app expects. Times are ms since 1970. */
export interface KnownSubject extends SubjectKey {
  readonly type: SubjectType
  /** Every status of its events, each once, in the order of their positions. */
  readonly statuses: readonly string[]
  /** The notification token whose entries tell of it; null: unknown. */
  readonly token: string | null
  /** The local day on which a payment was requested, `2026-03-04`; null: unknown. */
  readonly day: string | null
  /** When its first event was received, or when it was expected. */
  readonly firstAt: number
  /** When its first event was received; null: none was. */
  readonly eventAt: number | null
  /** null: no app expects it. */
  readonly expectedAt: number | null
  readonly askedAt: number | null
  /** Answers in a row that told nothing new. */
  readonly asks: number
  /** null: it is never asked for again, because its state is final, or because it was given up. */
  readonly nextAskAt: number | null
  readonly gap: SubjectGap | null
  /** When an operator event told of its silence; null: none did. */
  readonly silenceRaisedAt: number | null
}

/** `unknown`: given up, because the service does not know it. `undecided`: an opening that waits or was refused, which the service does not tell apart. */
export type SubjectGap = 'unknown' | 'undecided'

const FINAL = 100

/**
 * How far a status is on its way; from 100 it is final (service-decisions.md, payment states; Document 2, States and transitions). A canceled charge is
 * not final: its billet may have been printed before, and be paid.
 */
const RANKS: Readonly<Record<SubjectType, Readonly<Record<string, number>>>> = {
  payment: {
    CRIADO: 1,
    AGENDADO: 2,
    EM_PROCESSAMENTO: 3,
    EXECUTADO: 4,
    LIQUIDADO: FINAL,
    NAO_REALIZADO: FINAL,
    CANCELADO: FINAL,
  },
  opening: { conta_aberta: FINAL, conta_recusada_pelo_cliente_final: FINAL },
  charge: {
    new: 1,
    link: 2,
    waiting: 3,
    identified: 4,
    approved: 5,
    unpaid: 6,
    canceled: 7,
    expired: FINAL,
    paid: FINAL + 1,
    settled: FINAL + 1,
    contested: FINAL + 2,
    refunded: FINAL + 3,
  },
  subscription: { new: 1, active: 2, canceled: FINAL, expired: FINAL },
  carnet: { up_to_date: 1, unpaid: 2, canceled: FINAL, finished: FINAL },
}

/** Whether the service gives this status to such a subject. */
export function isStatusOf(type: SubjectType, status: string): boolean {
  return Object.hasOwn(RANKS[type], status)
}

/** 0: a status that the service does not document. */
export function rankOf(type: SubjectType, status: string): number {
  return isStatusOf(type, status) ? (RANKS[type][status] as number) : 0
}

export function isFinalStatus(type: SubjectType, status: string | null): boolean {
  return status !== null && rankOf(type, status) >= FINAL
}

/** The most advanced status, of equally advanced ones the first; null: there is none. */
export function lastStatus({ type, statuses }: Pick<KnownSubject, 'type' | 'statuses'>): string | null {
  return statuses.reduce<string | null>(
    (last, status) => (last === null || rankOf(type, status) > rankOf(type, last) ? status : last),
    null,
  )
}

/** A subject of which no event is known. */
export function newSubject(
  { kind, environment, subject, type }: SubjectKey & Pick<KnownSubject, 'type'>,
  firstAt: number,
): KnownSubject {
  return {
    kind,
    environment,
    subject,
    type,
    statuses: [],
    token: null,
    day: null,
    firstAt,
    eventAt: null,
    expectedAt: null,
    askedAt: null,
    asks: 0,
    nextAskAt: 0,
    gap: null,
    silenceRaisedAt: null,
  }
}

/** By the first id of an entry, as its subject is. */
export function chargeTypeOf(entry: unknown): ChargeType {
  const places = [entry, memberOf(entry, 'identifiers')]
  return CHARGE_TYPES.find((type) => places.some((place) => memberOf(place, `${type}_id`) !== undefined)) ?? 'charge'
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
