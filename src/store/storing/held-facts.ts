import type { ChargeReferences, Fact, FactSpan } from '../../domain/event.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Decision, QuarantineState } from '../../domain/quarantine.ts'
import type { Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'

/** Fields that a fact takes from its callback. */
export interface Source {
  readonly environment: Realm
  readonly receivedAt: number
}

/** A fact in quarantine, with the fields that its event needs. */
export interface HeldFact extends Source {
  readonly fact: Fact
  readonly callbackId: number
  readonly seen: number
  readonly lastSeenAt: number
}

/** Facts in quarantine, and decisions about them. Inside the transaction. */
export interface QuarantinedRows {
  /** Stores the fact, or counts it with an equal one. @param storeCallback stores its callback once, and returns the callback's number */
  hold(from: Source, fact: Fact, storeCallback: () => number): { id: number; isNew: boolean }
  /** @throws PortariaError `not_found`; `conflict` when it was decided before */
  get(id: number): HeldFact
  /** @param position of its event */
  released(id: number, decision: Decision, position: number): void
}

/** The columns of a fact in quarantine that are its own. */
export interface HeldRow {
  callback_id: number
  kind: string
  environment: Realm
  state: QuarantineState
  received_at: number
  subject: string | null
  status: string | null
  part: number
  parts: number
  fact_hash: Buffer | null
  seen: number
  last_seen_at: number
  charge_reference: string | null
  subscription_reference: string | null
}

/** @throws PortariaError `not_found`; `conflict` when it was decided before */
export function refuseDecided(id: number, row: Pick<HeldRow, 'state'> | undefined): void {
  if (row === undefined) throw new PortariaError('not_found', `there is no ${numberedId('qtn', id)} in quarantine`)
  if (row.state !== 'quarantined')
    throw new PortariaError('conflict', `${numberedId('qtn', id)} is ${row.state} already, which is final`)
}

export function heldOfRow(row: HeldRow, span: FactSpan | null): HeldFact {
  const { kind, subject, status, part, parts } = row
  const references = { charge: row.charge_reference, subscription: row.subscription_reference }
  return {
    environment: row.environment,
    receivedAt: row.received_at,
    fact: { kind, subject, status, part, parts, hash: row.fact_hash, span, references },
    callbackId: row.callback_id,
    seen: row.seen,
    lastSeenAt: row.last_seen_at,
  }
}

const NO_REFERENCES: ChargeReferences = { charge: null, subscription: null }

/** What a fact names, for its row in quarantine. */
export function referencesOf({ references = NO_REFERENCES }: Pick<Fact, 'references'>): ChargeReferences {
  return references
}
