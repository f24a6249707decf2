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

function union<T>(one: SomeOf<T>, other: SomeOf<T>): SomeOf<T> {
  return one === 'all' || other === 'all' ? 'all' : [...new Set([...one, ...other])]
}
