import { X509Certificate } from 'node:crypto'
import { setInterval } from 'node:timers'
import type { Environment } from '../interfaces.ts'
import { type BenchOptions, createBenches } from './bench.ts'
import { kindOf } from './facts.ts'
import type { Laboratory } from './laboratory.ts'
import { reachableAddress } from './reachable.ts'
import { type Bench, fail, type Judgement, type Scenario, skip } from './scenario.ts'
import { CALLBACK_SCENARIOS, CHARGE_SCENARIOS } from './scenarios/all.ts'
import type { StoreView } from './stored-records.ts'
import { type Text, text } from './text.ts'

export interface RunOptions {
  /** The registered URL of callbacks; or of charge notifications, which may have another one, with http. */
  readonly url: URL
  readonly isCharges?: boolean
  readonly alsoUrl?: URL
  readonly preset: string | null
  readonly kind: string
  readonly environment: Environment | null
  readonly laboratory: Laboratory
  /** PEM of authorities of the receiver's certificate beside the public ones; null: those alone. */
  readonly authorities: string | null
  readonly view: StoreView | null
  /** Time limit of each request, from connecting to the end of the answer. */
  readonly timeoutMs: number
  /** Called when a scenario is judged. */
  readonly onJudged?: (scenario: Scenario, judgement: Judgement, left: number) => void
}

export interface Result extends Judgement {
  readonly scenario: Scenario
}

export interface Report {
  readonly url: string
  /** null: no institution was named. */
  readonly preset: string | null
  /** When the run began (RFC 3339). */
  readonly at: string
  /** Subject of the certificate that issued the callers (RFC 2253). */
  readonly issuer: string
  /** No `fail`. */
  readonly ok: boolean
  readonly results: readonly Result[]
}

const MOST_AT_ONCE = 8
/** A run ends when so long after the time limit no answer came. */
const PATIENCE_MS = 5000

/** Tries each scenario on a receiver. Never rejects for what the receiver does. */
export async function runConformance(options: RunOptions): Promise<Report> {
  const at = new Date().toISOString()
  const scenarios = options.isCharges === true ? CHARGE_SCENARIOS : CALLBACK_SCENARIOS
  const judged = new Map<Scenario, Judgement>()
  const record = (scenario: Scenario, judgement: Judgement) => {
    judged.set(scenario, judgement)
    options.onJudged?.(scenario, judgement, scenarios.length - judged.size)
  }
  const reached = await reach(options)
  if ('problem' in reached) {
    for (const scenario of scenarios)
      record(scenario, scenario.order === 'first' ? fail(reached.problem) : skip(reached.problem))
  } else await tryAll({ ...options, reached }, scenarios, record)
  const results = scenarios.map((scenario) => ({ scenario, ...(judged.get(scenario) as Judgement) }))
  const { issuer } = options.laboratory.environments[options.environment ?? 'production']
  return {
    url: options.url.href,
    preset: options.preset,
    at,
    issuer: new X509Certificate(issuer).subject.split('\n').reverse().join(','),
    ok: results.every(({ verdict }) => verdict !== 'fail'),
    results,
  }
}

/** Where each URL is answered, or why one is not. */
async function reach({ url, alsoUrl, timeoutMs }: RunOptions): Promise<Map<URL, string> | { problem: Text }> {
  const urls = alsoUrl === undefined ? [url] : [url, alsoUrl]
  const found = await Promise.all(urls.map((one) => reachableAddress(one, timeoutMs)))
  const failed = found.find((one) => 'problem' in one)
  if (failed !== undefined) return failed
  return new Map(urls.map((one, index) => [one, (found[index] as { address: string }).address]))
}

type Record = (scenario: Scenario, judgement: Judgement) => void

async function tryAll(options: Reached, scenarios: readonly Scenario[], record: Record): Promise<void> {
  const watch = watchAnswers(options.timeoutMs + PATIENCE_MS)
  const benchFor = createBenches({ ...benchOptions(options), signal: watch.signal, onAnswer: watch.answered })
  const attempt = async (scenario: Scenario) =>
    record(scenario, await judge(scenario, benchFor(scenario.id), watch.signal))
  const of = (order: Scenario['order']) => scenarios.filter((scenario) => scenario.order === order)
  try {
    const begin = performance.now()
    for (const scenario of of('first')) await attempt(scenario)
    const isAnswered = watch.hasAnswered()
    // A receiver that is silent to the first request would be so for each.
    const isSilent = !isAnswered && performance.now() - begin >= options.timeoutMs
    const makesSense = (scenario: Scenario) => isAnswered || (!isSilent && scenario.needsNoAnswer === true)
    const others = scenarios.filter(({ order }) => order !== 'first')
    for (const scenario of others.filter((one) => !makesSense(one))) record(scenario, skip(UNANSWERED))
    const left = (order: Scenario['order']) => of(order).filter(makesSense)
    await atMost(MOST_AT_ONCE, left(undefined), attempt)
    for (const scenario of [...left('disturbing'), ...left('last')]) await attempt(scenario)
  } finally {
    watch.stop()
  }
}

const UNANSWERED = text('the callback with the certificate got no answer, so this would show nothing')

interface Reached extends RunOptions {
  readonly reached: ReadonlyMap<URL, string>
}

function benchOptions(options: Reached): Omit<BenchOptions, 'signal' | 'onAnswer'> {
  const { url, kind, preset, environment, laboratory, authorities, view, timeoutMs, reached } = options
  return {
    registered: url,
    kindName: kind,
    kind: kindOf(preset ?? 'service', kind),
    preset,
    environment,
    laboratory,
    authorities,
    view,
    timeoutMs,
    reached,
    isCharges: options.isCharges === true,
  }
}

async function judge(scenario: Scenario, bench: Bench, signal: AbortSignal): Promise<Judgement> {
  if (signal.aborted) return skip(GAVE_UP)
  try {
    return await scenario.run(bench)
  } catch (error) {
    if (signal.aborted) return fail(GAVE_UP)
    throw error
  }
}

const GAVE_UP: Text = text('not judged: the receiver had stopped answering')

/** Ends all requests when no answer came for so long. */
function watchAnswers(longestMs: number) {
  const controller = new AbortController()
  let lastAt = performance.now()
  let hasAnswered = false
  const timer = setInterval(() => {
    if (performance.now() - lastAt > longestMs) controller.abort()
  }, 200)
  return {
    signal: controller.signal,
    answered() {
      hasAnswered = true
      lastAt = performance.now()
    },
    hasAnswered: () => hasAnswered,
    stop: () => clearInterval(timer),
  }
}

async function atMost<T>(count: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: count }, worker))
}
