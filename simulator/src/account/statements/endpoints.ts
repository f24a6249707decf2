import type { Account } from '../../applications.ts'
import { type Endpoint, endpoint } from '../../http/endpoint.ts'
import { violationsOf } from '../../http/service-error.ts'
import { addDays } from '../../rules/calendar-date.ts'
import { endOfDay, localDate } from '../../rules/local-time.ts'
import type { Site } from '../../site.ts'
import { balanceAtEndOf, movementsOf, signedCents } from '../ledger.ts'
import { statementFile } from './file.ts'
import { statementProblemSchema, statementProblems } from './problems.ts'
import { RECORD_KINDS } from './record-kinds.ts'
import { statementBody, statementSchema } from './schema.ts'
import { findStatement, requestStatement, type Statement, statusOf } from './statement.ts'

/** Reconciliation statements: Document 1, endpoints 7 and 8. */
export function statementEndpoints(site: Site): Endpoint[] {
  const { errors, timeZone } = site.settings
  const problems = statementProblems(errors)
  const ownForm = errors === 'strict' ? {} : { schema: statementProblemSchema }
  const failed = { description: 'The service failed', ...ownForm }

  const viewOf = (statement: Statement) => ({
    id: statement.id,
    dataSolicitacao: new Date(statement.requestedAt).toISOString(),
    status: statusOf(site, statement),
  })

  return [
    endpoint({
      number: '1:7',
      id: 'requestStatement',
      method: 'post',
      path: '/v2/svc/relatorios/extrato-conciliacao',
      scope: 'svc.reports.write',
      summary: 'Request the reconciliation statement of a day; the same parameters again are the same statement',
      body: statementBody(() => localDate(site.clock.now(), timeZone)),
      invalid: (error) => problems.invalid(violationsOf(error)),
      refused: problems.unreadableBody,
      answers: {
        201: { description: 'The statement with its present status', schema: statementSchema },
        400: { description: 'The request is not valid', ...ownForm },
        500: failed,
      },
      run({ body: { dataMovimento: date, tipoRegistros }, application: { account } }) {
        const kinds = RECORD_KINDS.filter((kind) => tipoRegistros[kind])
        return { status: 201, json: viewOf(requestStatement(site, { account, date, kinds })) }
      },
    }),
    endpoint({
      number: '1:8',
      id: 'downloadStatement',
      method: 'get',
      path: '/v2/svc/relatorios/:id',
      scope: 'svc.reports.read',
      summary: 'Download a reconciliation statement',
      refused: problems.unreadablePath,
      answers: {
        200: { description: 'The file', type: 'text/csv' },
        202: { description: 'Not ready yet: the body of the answer to its request', schema: statementSchema },
        404: { description: 'The account has no such statement', ...ownForm },
        500: failed,
      },
      run({ params: { id = '' }, application }) {
        const statement = findStatement(site, application.account, id)
        if (statement === undefined) throw problems.notFound()
        if (statusOf(site, statement) !== 'CONCLUIDO') return { status: 202, json: viewOf(statement) }
        const text = fileOf(site, statement, site.applications.accountOf(application))
        return { status: 200, text, type: 'text/csv; charset=utf-8' }
      },
    }),
  ]
}

/** The file of a statement by the ledger as it is now: a clock that was set back can add movements to a past day. */
function fileOf(site: Site, { date, kinds }: Statement, account: Account): string {
  const { timeZone } = site.settings
  const [begin, end] = [endOfDay(addDays(date, -1), timeZone), endOfDay(date, timeZone)]
  const movements = movementsOf(site, account.number).filter(({ at }) => at >= begin && at < end)
  const balanceCents = balanceAtEndOf(site, account.number, date)
  const balanceBeforeCents = movements.reduce((balance, movement) => balance - signedCents(movement), balanceCents)
  return statementFile({ account, date, kinds, movements, balanceBeforeCents, balanceCents, zone: timeZone })
}
