import { z } from 'zod'
import { type CalendarDate, isCalendarDate } from '../../rules/calendar-date.ts'
import { RECORD_KINDS, type RecordKind } from './record-kinds.ts'
import { STATEMENT_STATUSES } from './statement.ts'

const DATE_WANTED = 'Informe uma data que exista, no formato YYYY-MM-DD.'
const flag = z.boolean('Informe true ou false.').default(false)
const flags = Object.fromEntries(RECORD_KINDS.map((kind) => [kind, flag])) as Record<RecordKind, typeof flag>

/** The calendar has no year 0. */
const FIRST_DATE = '0001-01-01'

const recordKinds = z
  .strictObject(flags, 'Informe os tipos de registro.')
  .refine((chosen) => RECORD_KINDS.some((kind) => chosen[kind]), 'Informe true em ao menos um tipo de registro.')

/** Document 1, endpoint 7. `dadosAdicionais` is not in the document: the published client sends it. @param today the local date */
export function statementBody(today: () => CalendarDate) {
  const members = {
    dataMovimento: z
      .string(DATE_WANTED)
      .refine((date) => isCalendarDate(date) && date >= FIRST_DATE, { error: DATE_WANTED, abort: true })
      .refine((date) => date < today(), 'Informe uma data anterior a hoje.')
      .meta({ description: 'YYYY-MM-DD, before today', format: 'date' }),
    tipoRegistros: recordKinds,
    dadosAdicionais: z
      .strictObject(
        {
          pixRecebido: z.array(z.literal('nome', 'Informe nome.'), 'Informe uma lista.').optional(),
          pixEnviadoChave: z
            .array(z.enum(['nome', 'documento'], 'Informe nome ou documento.'), 'Informe uma lista.')
            .optional(),
        },
        'Informe um objeto.',
      )
      .optional(),
  }
  return z.strictObject(members, 'Informe um objeto JSON.')
}

export const statementSchema = z.object({
  id: z.uuid(),
  dataSolicitacao: z.iso.datetime({ precision: 3 }),
  status: z.enum(STATEMENT_STATUSES),
})
