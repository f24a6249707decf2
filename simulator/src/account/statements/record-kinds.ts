import { MOVEMENT_KINDS } from '../ledger.ts'

/** Records of a statement: the members of `tipoRegistros` (Document 1, Reconciliation statement request). */
export const RECORD_KINDS = [...MOVEMENT_KINDS, 'saldoDiaAnterior', 'saldoDia'] as const
export type RecordKind = (typeof RECORD_KINDS)[number]
