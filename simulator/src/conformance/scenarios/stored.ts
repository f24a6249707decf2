import { STORE_FIRST, STORE_ONCE } from '../fixes/answers.ts'
import { REQUIRE_CERTIFICATE } from '../fixes/callers.ts'
import type { Fix } from '../fixes/fix.ts'
import { type Bench, fail, type Judgement, pass, type Scenario, skip, warn } from '../scenario.ts'
import { DOCUMENT_1, FIELD, type Rule, rule, SILENT_1 } from '../sources.ts'
import { countIn, type Sent } from '../stored-records.ts'
import { type Text, text } from '../text.ts'

const NOT_NAMED = text(
  'what the receiver stored is not known: name its file with --log, or an address that lists it with --poll',
)
const ANSWERED_IS_GONE = rule(
  SILENT_1,
  'The service does not repeat a callback that was answered with 2xx. What is not on disk by then is lost with the next crash.',
)

const beforeAnswer = storedScenario({
  id: 'stored-before-answer',
  title: text('Each fact is stored before the answer'),
  why: ANSWERED_IS_GONE,
  fix: STORE_FIRST,
  judge(sent, records) {
    const late = sent.flatMap((one) =>
      one.late.map((marker) => ({ scenario: one.scenario, isThere: countIn(records, marker) > 0 })),
    )
    if (late.length === 0) return null
    const never = late.filter(({ isThere }) => !isThere)
    return fail(
      never.length === 0
        ? text('stored only behind the answer: {scenarios}', { scenarios: scenariosOf(late) })
        : text('answered and not stored: {scenarios}', { scenarios: scenariosOf(never) }),
    )
  },
  all: (count) => text('{count} facts were there when the answer came', { count }),
})

const once = storedScenario({
  id: 'stored-once',
  title: text('Each fact is stored once'),
  why: rule(FIELD, 'One fact is one event. A fact that is stored twice is booked twice.'),
  fix: STORE_ONCE,
  judge(sent, records) {
    const repeated = new Set(sent.filter(({ isRepeated }) => isRepeated).flatMap(({ markers }) => markers))
    const expected = timesOf(sent)
    const isTooOften = (marker: string) => countIn(records, marker) > (expected.get(marker) ?? 1)
    const wrong = sent.filter(({ markers }) => markers.some((one) => !repeated.has(one) && isTooOften(one)))
    if (wrong.length > 0) return fail(text('stored more than once: {scenarios}', { scenarios: scenariosOf(wrong) }))
    return [...repeated].some(isTooOften)
      ? warn(text('a callback that the service repeats is stored again: the application has to recognize it by its id'))
      : null
  },
  all: (count) => text('{count} facts, none of them twice', { count }),
})

const sameBytes = storedScenario({
  id: 'stored-same-bytes',
  title: text('Two facts of the same bytes are stored twice'),
  why: rule(
    FIELD,
    'The token form of a charge is the same for its whole life, and says each time that something is new.',
  ),
  fix: STORE_FIRST,
  judge(sent, records) {
    const several = [...timesOf(sent)].filter(([, times]) => times > 1)
    const fewer = several.filter(([marker, times]) => occurrences(records, marker) < times)
    return fewer.length === 0 ? null : fail(text('the second one is not stored'))
  },
  all: () => text('both are stored'),
})

const refused: Scenario = {
  id: 'stored-refused',
  order: 'last',
  title: text('Nothing of a refused request is stored'),
  why: rule(
    DOCUMENT_1,
    'A caller that is refused must leave nothing. What it wrote would be taken for a callback of the service.',
  ),
  fix: REQUIRE_CERTIFICATE,
  async run({ stored }) {
    if (stored.view === null) return skip(NOT_NAMED)
    const { refused: markers } = stored
    const records = await stored.settled()
    if (stored.trouble !== null) return unreadable(stored.trouble)
    const found = [...markers].filter(([marker]) => countIn(records, marker) > 0).map(([, scenario]) => scenario)
    const names = [...new Set(found)].join(', ')
    return found.length === 0
      ? pass(text('{size} requests left nothing', { size: markers.size }))
      : fail(text('stored although it had to be refused: {names}', { names }))
  },
}

interface StoredScenario {
  readonly id: string
  readonly title: Text
  readonly why: Rule
  readonly fix: Fix
  /** What is wrong; null: nothing. */
  readonly judge: (sent: readonly Sent[], records: readonly string[]) => Judgement | null
  readonly all: (count: number) => Text
}

function storedScenario({ id, title, why, fix, judge, all }: StoredScenario): Scenario {
  return {
    id,
    title,
    why,
    fix,
    order: 'last',
    run: (bench) => judgeStored(bench, judge, all),
  }
}

async function judgeStored(
  { stored }: Bench,
  judge: StoredScenario['judge'],
  all: StoredScenario['all'],
): Promise<Judgement> {
  if (stored.view === null) return skip(NOT_NAMED)
  const sent = stored.accepted.filter(({ markers }) => markers.length > 0)
  if (sent.length === 0) return skip(text('no callback was answered with 2xx'))
  const records = await stored.settled()
  if (stored.trouble !== null) return unreadable(stored.trouble)
  const flaw = judge(sent, records)
  const count = new Set(sent.flatMap(({ markers }) => markers)).size
  return flaw ?? pass(all(count))
}

function unreadable(problem: string): Judgement {
  return fail(text('what is stored can no longer be read: {problem}', { problem }))
}

/** In how many records each marker has to be. */
function timesOf(sent: readonly Sent[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const one of sent)
    for (const marker of one.markers) times.set(marker, Math.max(one.times, times.get(marker) ?? 0))
  return times
}

function occurrences(records: readonly string[], marker: string): number {
  return records.reduce((sum, record) => sum + record.split(marker).length - 1, 0)
}

function scenariosOf(sent: readonly { readonly scenario: string }[]): string {
  return [...new Set(sent.map(({ scenario }) => scenario))].join(', ')
}

export const STORED: readonly Scenario[] = [beforeAnswer, once, refused]
export const STORED_SAME_BYTES = sameBytes
