import { z } from 'zod'
import { integerText } from './query.ts'
import { problem } from './service-error.ts'

/** The query of a page (service-decisions.md, Lists). */
export const pageQuery = {
  'paginacao.paginaAtual': integerText(/^\d{1,9}$/, 'Informe um número inteiro a partir de 0.', { minimum: 0 })
    .default('0')
    .meta({ default: 0 }),
  'paginacao.itensPorPagina': integerText(/^([1-9]\d{0,2}|1000)$/, 'Informe um número inteiro de 1 a 1000.', {
    minimum: 1,
    maximum: 1000,
  })
    .default('100')
    .meta({ default: 100 }),
}

export const pageSchema = z.object({
  paginaAtual: z.int(),
  itensPorPagina: z.int(),
  quantidadeDePaginas: z.int(),
  quantidadeTotalDeItens: z.int(),
})

export type Page = z.infer<typeof pageSchema>

/** @returns the items of the page, and what the answer's `paginacao` says */
export function pageOf<T>(
  items: readonly T[],
  query: { readonly 'paginacao.paginaAtual': string; readonly 'paginacao.itensPorPagina': string },
): { items: T[]; paginacao: Page } {
  const paginaAtual = Number(query['paginacao.paginaAtual'])
  const itensPorPagina = Number(query['paginacao.itensPorPagina'])
  const first = paginaAtual * itensPorPagina
  return {
    items: items.slice(first, first + itensPorPagina),
    paginacao: {
      paginaAtual,
      itensPorPagina,
      quantidadeDePaginas: Math.ceil(items.length / itensPorPagina),
      quantidadeTotalDeItens: items.length,
    },
  }
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** An RFC 3339 timestamp that exists. */
export const instant = z
  .string()
  .refine((text) => isInstant(text, INSTANT), 'Informe data e hora no formato ISO 8601, como 2026-01-31T12:00:00Z.')
  .meta({ format: 'date-time' })

/** The form that the lists of payment webhooks take (Document 1, endpoint 23). */
export const secondInUtc = z
  .string()
  .refine(
    (text) => isInstant(text, /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}Z$/),
    'Informe data e hora no formato YYYY-MM-DDThh:mm:ssZ.',
  )
  .meta({ format: 'date-time' })

function isInstant(text: string, form: RegExp): boolean {
  const [, date = ''] = form.exec(text) ?? []
  if (date === '' || Number.isNaN(Date.parse(text))) return false
  // Date.parse takes 30 February for 2 March.
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
}

/**
 * Whether an instant lies within a period that is given in seconds: the last second belongs to it.
 * @param at in ms since 1970
 */
export function isWithin(at: number, from: string, to: string): boolean {
  const seconds = (ms: number) => Math.floor(ms / 1000)
  return seconds(at) >= seconds(Date.parse(from)) && seconds(at) <= seconds(Date.parse(to))
}

/** @throws ServiceError 400 when the period ends before it begins */
export function requireOrder(from: string, to: string, caminho: string): void {
  if (Date.parse(to) >= Date.parse(from)) return
  const mensagem = 'O fim do período é anterior ao início.'
  throw problem(400, 'data_invalida', mensagem, [{ caminho, mensagem }])
}
