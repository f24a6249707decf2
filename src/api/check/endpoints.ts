import { PortariaError } from '../../platform/errors.ts'
import { endpoint } from '../http/endpoint.ts'
import type { CheckRuns } from './check-runs.ts'
import { checkQuerySchema, checkReportSchema } from './schema.ts'

export function checkEndpoints(runs: CheckRuns) {
  return {
    runCheck: runCheck(runs),
  }
}

function runCheck(runs: CheckRuns) {
  return endpoint({
    method: 'get',
    path: '/v1/check',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    takesTurn: false,
    summary: 'Run the check',
    description: [
      'The findings of `portaria check`, run by the gateway in a process of its own. It takes some seconds, at most two minutes.',
      'Requests during a run get its result. Findings name paths of its machine; the pages show the names of the files alone.',
    ].join(' '),
    query: checkQuerySchema,
    answers: {
      200: { description: 'The findings.', schema: checkReportSchema },
      404: { description: 'With `latest`: no check has run since the start.' },
      503: { description: 'The check did not come to its end.' },
    },
    async run({ query }) {
      const report = query.latest ? runs.latest() : await runs.run()
      if (report === null) throw new PortariaError('not_found', NONE)
      return { json: report }
    },
  })
}

const NONE = 'no check has run since the gateway started: ask without "latest"'
