import { CHANGE_SORTS, type Changes, type SomeOf } from '../../../domain/nodes/foreign-changes.ts'

export const NO_CHANGES: Changes = { destinationIds: [], droppedIds: [], consumers: [], sorts: [] }

export const ALL_CHANGES: Changes = {
  destinationIds: 'all',
  droppedIds: 'all',
  consumers: 'all',
  sorts: CHANGE_SORTS,
}

export function hasChanges({ destinationIds, droppedIds, consumers, sorts }: Changes): boolean {
  return [destinationIds, droppedIds, consumers, sorts].some((some) => some.length > 0)
}

export function joined(one: Changes, other: Changes): Changes {
  return {
    destinationIds: union(one.destinationIds, other.destinationIds),
    droppedIds: union(one.droppedIds, other.droppedIds),
    consumers: union(one.consumers, other.consumers),
    sorts: [...new Set([...one.sorts, ...other.sorts])],
  }
}

/** Each notice copies what is joined already, so a flood of notices would take a time that grows with its square. */
const MOST_JOINED = 1000

function union<T>(one: SomeOf<T>, other: SomeOf<T>): SomeOf<T> {
  if (one === 'all' || other === 'all') return 'all'
  const all = [...new Set([...one, ...other])]
  return all.length > MOST_JOINED ? 'all' : all
}
