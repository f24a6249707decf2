import type { ServiceStatusView } from '../../api/service/endpoints.ts'
import { realmOf } from '../../domain/realm.ts'
import { translated } from '../language/language.ts'
import { tableOf } from '../listing/table.ts'
import { printable, sectionOf } from '../output.ts'
import { isUncalled } from './own-status.ts'

type InterfaceView = ServiceStatusView['interfaces'][number]

/** Whether the service, or this machine, refuses something until somebody changes it. */
export function isRefused({ certificate, authoritiesProblem, interfaces }: ServiceStatusView): boolean {
  const isFileBad = authoritiesProblem !== null || (certificate?.problem ?? null) !== null
  return isFileBad || interfaces.some((one) => stateOf(one) === 'refused')
}

export function statusText(status: ServiceStatusView): string {
  const { certificate, interfaces, authoritiesProblem } = status
  const rows = interfaces.map((one) => [
    ...[one.interface, stateOf(one), one.lastSuccessAt, one.lastFailure?.at ?? null, one.baseAddress],
  ])
  const failures = interfaces.map(({ failing, lastFailure }) => (failing ? (lastFailure?.error ?? null) : null))
  const problems = [certificate?.problem ?? null, authoritiesProblem, ...failures].filter((text) => text !== null)
  return [
    headOf(status),
    tableOf(HEADER, rows),
    ...[...new Set(problems)].map((problem) => `  ✗ ${printable(problem)}\n`),
  ].join('')
}

function headOf({ institution, environment, ...status }: ServiceStatusView) {
  const { certificate, resolveTokens, notificationBudget, waitingTokens } = status
  const { limit, used, left } = notificationBudget
  const budget = limit === null ? 'unlimited' : `${left} of ${limit} left today`
  return sectionOf(realmOf(institution, environment), {
    certificate: certificate?.subject ?? null,
    notAfter: certificate?.notAfter ?? null,
    tokens: translated(resolveTokens ? `${waitingTokens.count} waiting` : forwarded(waitingTokens.count)),
    oldestAt: waitingTokens.oldestAt,
    queries: resolveTokens ? translated(`${budget}, ${used} taken`) : null,
  })
}

/** Tokens that came before `resolveTokens` was switched off are still asked for. */
function forwarded(waiting: number): string {
  return waiting === 0
    ? 'forwarded as they come'
    : `forwarded as they come; ${waiting} earlier ones wait for their entries`
}

/** `refused`: until somebody changes something. */
function stateOf(one: InterfaceView): 'accepted' | 'failing' | 'refused' | 'not called' {
  const { failing, lastFailure } = one
  if (failing) return lastFailure?.final === true || lastFailure?.code === 'certificate_refused' ? 'refused' : 'failing'
  return isUncalled(one) ? 'not called' : 'accepted'
}

const HEADER = [
  ...['interface', 'state'],
  { name: 'last success', isTime: true },
  { name: 'last failure', isTime: true, leftOut: 2 },
  { name: 'base address', cut: 'right', leftOut: 1 },
] as const
