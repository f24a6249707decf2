import type { Environment } from '../../domain/event.ts'
import type { ServiceInterface } from '../../domain/service/service-interfaces.ts'
import { tableOf } from '../lists/table.ts'
import { printable, sectionOf } from '../output.ts'

/** Times are ISO 8601. */
export interface InterfaceStatus {
  readonly interface: ServiceInterface
  readonly baseAddress: string
  /** `refused`: it stays so until somebody changes something. `untried`: no call since the start of the gateway. */
  readonly state: 'accepted' | 'failing' | 'refused' | 'untried'
  readonly lastSuccessAt: string | null
  readonly lastFailure: { readonly at: string; readonly code: string; readonly text: string } | null
}

export interface ServiceStatus {
  readonly environment: Environment
  /** null: none is configured. */
  readonly certificate: {
    readonly subject: string | null
    readonly notAfter: string | null
    readonly problem: string | null
  } | null
  readonly interfaces: readonly InterfaceStatus[]
  readonly resolveTokens: boolean
  /** Queries of tokens in this UTC day; `limit` and `left` null: unlimited. */
  readonly budget: { readonly limit: number | null; readonly used: number; readonly left: number | null }
  readonly tokens: { readonly waiting: number; readonly oldestAt: string | null }
}

/** Whether the service, or this machine, refuses something until somebody changes it. */
export function isRefused({ certificate, interfaces }: ServiceStatus): boolean {
  return (certificate?.problem ?? null) !== null || interfaces.some(({ state }) => state === 'refused')
}

export function statusText(status: ServiceStatus): string {
  const { environment, certificate, interfaces, resolveTokens, budget, tokens } = status
  const rows = interfaces.map((one) => [
    ...[one.interface, one.state, one.lastSuccessAt, one.lastFailure?.at ?? null, one.baseAddress],
  ])
  const failures = interfaces.flatMap(({ state, lastFailure }) =>
    lastFailure === null || state === 'accepted' ? [] : [`  ✗ ${lastFailure.text}`],
  )
  const problem = certificate?.problem ?? null
  const left = budget.left === null ? 'unlimited' : `${budget.left} of ${budget.limit} left today`
  return [
    sectionOf(environment, {
      certificate: certificate?.subject ?? null,
      notAfter: certificate?.notAfter ?? null,
      ...(resolveTokens && { queries: `${left}, ${budget.used} made` }),
      tokens: resolveTokens ? `${tokens.waiting} waiting` : 'forwarded as they come',
      oldestSince: tokens.oldestAt,
    }),
    tableOf(HEADER, rows),
    ...[...(problem === null ? [] : [`  ✗ ${problem}`]), ...failures].map((line) => `${printable(line)}\n`),
  ].join('')
}

const HEADER = [
  ...['interface', 'state'],
  { name: 'last success', isTime: true },
  { name: 'last failure', isTime: true, leftOut: 2 },
  { name: 'base address', cut: 'right', leftOut: 1 },
] as const
