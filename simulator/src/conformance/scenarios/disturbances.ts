import { arrayMember, oneFact } from '../facts.ts'
import { LARGE_BODY, SLOW_CLIENTS } from '../fixes/answers.ts'
import { fail, type Scenario } from '../scenario.ts'
import { DOCUMENT_1, rule } from '../sources.ts'
import { text } from '../text.ts'
import { mustAccept } from './answers.ts'

const SLOW_MS = 2500
const LARGE_BYTES = 256 * 1024

const ON_THE_WAY = rule(
  DOCUMENT_1,
  'The notification is answered with success. On a network, a slow body, a cut connection and a large batch happen, and must neither be lost nor stop the callbacks behind them.',
)

export const SLOW_BODY: Scenario = {
  id: 'slow-body',
  title: text('A body that takes more than 2 s is answered with 2xx'),
  why: ON_THE_WAY,
  fix: SLOW_CLIENTS,
  run: (bench) =>
    mustAccept(bench, text('a body over 2.5 s'), {
      // The limit is for the receiver, which can answer only behind the body.
      call: { bodyOverMs: SLOW_MS, timeoutMs: bench.timeoutMs + SLOW_MS },
    }),
}

const HALF_IS_STORED = text(
  'what came of the callback that was cut is stored as a callback: only a whole body is one, and the service sends it again',
)

export const CUT_CONNECTION: Scenario = {
  id: 'cut-connection',
  order: 'disturbing',
  title: text('After a connection that is cut in the body, the next callback is answered'),
  why: ON_THE_WAY,
  fix: SLOW_CLIENTS,
  async run(bench) {
    const { body, markers } = oneFact(bench.kind)
    // The first half has the marker, and is no JSON.
    const long = `${body.slice(0, -1)},"padding":"${'x'.repeat(body.length)}"}`
    await bench.send({ content: { body: long, markers: [] }, call: { cut: 'half_body' } })
    const next = await mustAccept(bench, text('the callback after the cut'))
    const { view } = bench.stored
    if (next.verdict !== 'pass' || view === null || (await bench.stored.missing(markers)).length > 0) return next
    return fail(HALF_IS_STORED)
  },
}

const largeBody: Scenario = {
  id: 'large-body',
  order: 'disturbing',
  title: text('A body of 256 KiB is answered with 2xx'),
  why: ON_THE_WAY,
  fix: LARGE_BODY,
  run: (bench) => mustAccept(bench, text('256 KiB'), { content: arrayMember(2, LARGE_BYTES) }),
}

export const DISTURBANCES: readonly Scenario[] = [SLOW_BODY, CUT_CONNECTION, largeBody]
