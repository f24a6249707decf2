import { randomUUID } from 'node:crypto'
import { INSTITUTIONS } from '../../institutions/fixtures.ts'
import { ANSWER_WELL, NO_REDIRECT } from '../fixes/answers.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, fail, pass, type Scenario, skip } from '../scenario.ts'
import { rule, SILENT_1, webhookApi } from '../sources.ts'
import { joined, text } from '../text.ts'

const NO_PRESET = text('no institution is named with --preset')

const redirect: Scenario = {
  id: 'redirect',
  title: text('No callback is answered with a redirect'),
  why: rule(SILENT_1, 'Redirects are failures, the service follows none.'),
  fix: NO_REDIRECT,
  async run(bench) {
    const { outcome } = await bench.send()
    const isRedirect = outcome.kind === 'answered' && outcome.status >= 300 && outcome.status < 400
    return isRedirect ? fail(outcomeText(outcome)) : pass(outcomeText(outcome))
  },
}

const answerStatus: Scenario = {
  id: 'answer-status',
  title: text('The status is one that the institution wants'),
  why: rule(SILENT_1, 'Each institution says which statuses deliver a callback; the service takes any 2xx.'),
  fix: ANSWER_WELL,
  async run(bench) {
    const expected = expectedOf(bench)
    if (expected === null) return skip(NO_PRESET)
    const { outcome } = await bench.send()
    const wanted = expected.statuses.join(', ')
    const reason = joined([outcomeText(outcome), text('wanted {wanted}', { wanted })])
    const isRight = outcome.kind === 'answered' && expected.statuses.includes(outcome.status)
    return isRight ? pass(reason) : fail(reason)
  },
}

const answerEcho: Scenario = {
  id: 'answer-echo',
  title: text('The answer repeats the headers that the institution wants'),
  why: rule(
    webhookApi('components, responses, 202Webhook, headers'),
    'The answer has the x-webhook-interaction-id of the request, so that both sides can find the notification.',
  ),
  fix: ANSWER_WELL,
  async run(bench) {
    const expected = expectedOf(bench)
    if (expected === null) return skip(NO_PRESET)
    const { echoes = [] } = expected
    if (echoes.length === 0) return skip(text('this institution wants none'))
    const headers = Object.fromEntries(echoes.map((name) => [name, randomUUID()]))
    const { outcome } = await bench.send({ call: { headers } })
    if (outcome.kind !== 'answered') return fail(outcomeText(outcome))
    const missing = echoes.filter((name) => outcome.headers[name] !== headers[name]).join(', ')
    const names = echoes.join(', ')
    return missing === ''
      ? pass(text('{names} is repeated', { names }))
      : fail(text('{missing} is not repeated', { missing }))
  },
}

export const ANSWER_TIME: Scenario = {
  id: 'answer-time',
  order: 'last',
  title: text('Answers come in time'),
  why: rule(SILENT_1, 'Within 60 s, of open banking within 25 s; an institution may want less.'),
  fix: ANSWER_WELL,
  async run(bench) {
    if (bench.unanswered.size > 0) {
      const [late, seconds] = [[...bench.unanswered].join(', '), bench.timeoutMs / 1000]
      return fail(text('no answer within {seconds} s: {late}', { seconds, late }))
    }
    const slowest = Math.max(...bench.answerTimes)
    if (bench.answerTimes.length === 0) return skip(text('no callback was answered'))
    const limit = limitOf(bench)
    const reason = text('the slowest of {length} answers took {slowest} ms; the limit is {limit} ms', {
      length: bench.answerTimes.length,
      slowest,
      limit,
    })
    return slowest <= limit ? pass(reason) : fail(reason)
  },
}

function expectedOf({ preset }: Bench) {
  return preset === null ? null : (INSTITUTIONS[preset]?.expected ?? null)
}

const LIMIT_MS = 60_000
const OPEN_BANKING_LIMIT_MS = 25_000

/** The preset `service` has the limit of open banking, which its other kinds do not have. */
function limitOf(bench: Bench): number {
  if (bench.kindName === 'open-banking') return OPEN_BANKING_LIMIT_MS
  return bench.preset === 'service' ? LIMIT_MS : (expectedOf(bench)?.withinMs ?? LIMIT_MS)
}

export const EXPECTATIONS: readonly Scenario[] = [redirect, answerStatus, answerEcho, ANSWER_TIME]
