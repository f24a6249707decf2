import type { EventFilter } from '../../domain/event-record.ts'
import { environmentOf, institutionOf, type Realm } from '../../domain/realm.ts'

/**
 * Kind, environment and status of an event are terms, too, so that a filter costs a search nothing. They begin with a control character, which no word
 * contains.
 */
export interface FilteredFields {
  readonly kind: string
  readonly environment: Realm
  readonly status: string | null
}

export function filterTermsOf({ kind, environment, status }: FilteredFields): string[] {
  const terms = [kindTerm(kind), environmentTerm(environmentOf(environment))]
  const institution = institutionOf(environment)
  if (institution !== null) terms.push(institutionTerm(institution))
  if (status !== null) terms.push(statusTerm(status))
  return terms
}

/** Each list: one of these terms. */
export function filterWords({ kinds, environment, institution, status }: EventFilter): string[][] {
  const words: string[][] = []
  if (kinds !== undefined) words.push(kinds.map(kindTerm))
  if (environment !== undefined) words.push([environmentTerm(environment)])
  if (institution !== undefined) words.push([institutionTerm(institution)])
  if (status !== undefined) words.push([statusTerm(status)])
  return words
}

/** A longer value is cut. The row of the event decides in the end. */
const MOST = 60

function kindTerm(kind: string): string {
  return `\u0001k${kind.slice(0, MOST)}`
}

function environmentTerm(environment: string): string {
  return `\u0001e${environment}`
}

function institutionTerm(institution: string): string {
  return `\u0001i${institution.slice(0, MOST)}`
}

function statusTerm(status: string): string {
  return `\u0001s${status.slice(0, MOST)}`
}
