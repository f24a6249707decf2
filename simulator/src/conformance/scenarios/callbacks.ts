import { isSuccess } from '../../webhooks/two-requests.ts'
import { arrayMember, oneFact, rootArray, suffixesOf } from '../facts.ts'
import { ANY_BODY, ROUTES } from '../fixes/answers.ts'
import { outcomeText } from '../outcome-texts.ts'
import { type Bench, fail, type Judgement, pass, type Scenario, skip } from '../scenario.ts'
import { FIELD, rule, SILENT_1 } from '../sources.ts'
import { joined, type Text, text, verbatim } from '../text.ts'
import { mustAccept } from './answers.ts'
import { together } from './refusal.ts'

const duplicate: Scenario = {
  id: 'duplicate',
  title: text('The same callback again is answered with 2xx'),
  why: rule(
    FIELD,
    'The service repeats a callback whose answer it lost. An error for the second one makes it repeat for hours.',
  ),
  fix: ANY_BODY,
  async run(bench) {
    const content = oneFact(bench.kind)
    const first = await mustAccept(bench, text('the first time'), { content })
    return together([first, await mustAccept(bench, text('the second time'), { content, isRepeated: true })])
  },
}

const SEVERAL = rule(FIELD, 'One POST can carry several facts, in an array member or a root array.')
const ONE_EACH = text('the callbacks of this preset carry one fact each')

const batchMember: Scenario = {
  id: 'batch-member',
  title: text('Several facts in an array member are answered with 2xx'),
  why: SEVERAL,
  fix: ANY_BODY,
  async run(bench) {
    if (bench.preset === 'open-finance') return skip(ONE_EACH)
    return mustAccept(bench, text('three facts in a member'), { content: arrayMember(3) })
  },
}

const batchRoot: Scenario = {
  id: 'batch-root',
  title: text('Several facts in a root array are answered with 2xx'),
  why: SEVERAL,
  fix: ANY_BODY,
  async run(bench) {
    if (bench.preset === 'open-finance') return skip(ONE_EACH)
    return mustAccept(bench, text('three facts in a root array'), {
      content: rootArray(bench.kind, 3),
    })
  },
}

const SUFFIXES = rule(
  FIELD,
  'Some services append a suffix to the registered URL, even behind a query, and a trailing slash gives //pix.',
)

const suffix = suffixScenario({
  id: 'suffix',
  title: text('A suffix behind the registered URL is answered with 2xx'),
  urlsOf: (href, { preset, kind }) => suffixesOf(preset, kind).map((end) => `${withoutSlash(href)}${end}`),
})
const suffixBehindQuery = suffixScenario({
  id: 'suffix-behind-query',
  title: text('A suffix behind a query is answered with 2xx'),
  urlsOf: (href, { preset }) =>
    preset === 'open-finance' ? [] : [`${href}${href.includes('?') ? '&' : '?'}conformance=1/pix`],
})
const suffixDoubleSlash = suffixScenario({
  id: 'suffix-double-slash',
  title: text('A suffix behind a double slash is answered with 2xx'),
  urlsOf: (href, { preset }) => (preset === 'open-finance' ? [] : [`${withoutSlash(href)}//pix`]),
})

interface SuffixScenario {
  readonly id: string
  readonly title: Text
  /** @param href the registered URL @returns none: institutions of this preset do not call so */
  readonly urlsOf: (href: string, bench: Bench) => readonly string[]
}

function suffixScenario({ id, title, urlsOf }: SuffixScenario): Scenario {
  return {
    id,
    title,
    why: SUFFIXES,
    fix: ROUTES,
    async run(bench) {
      const urls = urlsOf(bench.registered.href, bench).map((href) => new URL(href))
      if (urls.length === 0) return skip(text('the institutions of this preset append no suffix in this form'))
      const judged = urls.map((url) => {
        const shown = `${url.pathname}${url.search}`
        return mustAccept(bench, verbatim(shown), { url })
      })
      return together(await Promise.all(judged))
    },
  }
}

/** A URL that has a query keeps it: the suffix then is behind it, as the service does it. */
function withoutSlash(href: string): string {
  return href.replace(/\/$/, '')
}

const TEST_CALL = rule(
  SILENT_1,
  'The test call at registration has the body {"evento":"teste_webhook"}, {} or none. Without 2xx the address is not accepted.',
)
const testEvent = testScenario('test-event', '{"evento":"teste_webhook"}')
const testObject = testScenario('test-object', '{}')
const testEmpty = testScenario('test-empty', '')

function testScenario(id: string, body: string): Scenario {
  const shown = body === '' ? text('an empty body') : verbatim(body)
  return {
    id,
    title: joined([text('The test call is answered with 2xx'), shown], ': '),
    why: TEST_CALL,
    fix: ANY_BODY,
    async run(bench) {
      if (bench.preset === 'open-finance') return skip(text('open finance has no test call'))
      return mustAccept(bench, shown, { url: bench.registered, content: { body, markers: [] } })
    },
  }
}

/** '': the request has none. */
const WRONG_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'image/png; charset=latin9',
  '',
]

export const CONTENT_TYPES: Scenario = {
  id: 'content-types',
  title: text('Other content types are answered with 2xx or 4xx'),
  why: rule(
    FIELD,
    'Clients and services send unexpected types and headers. 2xx and 4xx are right; 5xx, a hang and a cut are faults of the receiver.',
  ),
  fix: ANY_BODY,
  async run(bench) {
    return together(await Promise.all(WRONG_TYPES.map((contentType) => judgeType(bench, contentType))))
  },
}

async function judgeType(bench: Bench, contentType: string): Promise<Judgement> {
  const { outcome } = await bench.send({ contentType })
  const shown = contentType === '' ? text('no content type') : verbatim(contentType)
  const reason = joined([shown, outcomeText(outcome)], ': ')
  const isRight = isSuccess(outcome) || (outcome.kind === 'answered' && outcome.status >= 400 && outcome.status < 500)
  return isRight ? pass(reason) : fail(reason)
}

export const CALLBACKS: readonly Scenario[] = [
  duplicate,
  batchMember,
  batchRoot,
  suffix,
  suffixBehindQuery,
  suffixDoubleSlash,
  testEvent,
  testObject,
  testEmpty,
  CONTENT_TYPES,
]
