import type { GapDay } from '../../domain/reconcile/gaps.ts'
import type { SubjectType } from '../../domain/reconcile/subjects.ts'

export interface CountedDay extends Omit<GapDay, 'settledBy'> {
  /** The first type, by its name, of the day's subjects that are still asked for; null: none is. */
  readonly openType: SubjectType | null
}

/** They tell the state of a subject. */
const ENDPOINTS: Readonly<Record<SubjectType, string>> = {
  payment: 'GET /v1/:idPagamento',
  opening: 'GET /v1/conta-simplificada/:idContaSimplificada/credenciais',
  charge: 'GET /v1/charge/:id',
  subscription: 'GET /v1/subscription/:id',
  carnet: 'GET /v1/carnet/:id',
}

export function gapDayOf({ openType, ...day }: CountedDay): GapDay {
  const endpoint = openType === null ? null : ENDPOINTS[openType]
  return { ...day, settledBy: day.unknown > 0 ? 'question to the service' : endpoint }
}
