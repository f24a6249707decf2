import type { AskSchedule, SubjectAnswer, ToldState } from '../../domain/reconcile/answers.ts'
import { serviceTime } from '../../domain/reconcile/service-day.ts'
import { type ChargeType, chargeTypeOf, isStatusOf, type KnownSubject } from '../../domain/reconcile/subjects.ts'
import type { TokenEntry } from '../../domain/service/notification-token.ts'
import type { QuestionPurpose } from '../../domain/service/question-purpose.ts'
import type { EntryOfToken } from '../../domain/service/token-entry.ts'
import type { Answered, EntriesTold, QuestionFailure, Questions } from './questions.ts'

/** One question to the service about a subject. */
export interface SubjectQuestion {
  readonly purpose: QuestionPurpose
  ask(at: () => number, signal: AbortSignal): Promise<Answered<SubjectAnswer>>
}

export interface QuestionParts {
  readonly questions: Questions
  readonly readEntry: (entry: EntryOfToken) => TokenEntry
  readonly schedule: AskSchedule
}

/** @param byToken whether a charge may be asked for by its token */
export function questionAbout(subject: KnownSubject, byToken: boolean, parts: QuestionParts): SubjectQuestion {
  const purpose = purposeOf(subject, byToken)
  if (subject.type === 'payment') return { purpose, ask: askPayment(subject, parts) }
  if (subject.type === 'opening') return { purpose, ask: askOpening(subject, parts) }
  const isByToken = byToken && subject.token !== null
  return { purpose, ask: isByToken ? askToken(subject, subject.token, parts) : askRecord(subject, subject.type, parts) }
}

/** Whose budget the question about a subject counts in. */
function purposeOf({ type, token }: KnownSubject, byToken: boolean): QuestionPurpose {
  if (type === 'payment') return 'payment'
  if (type === 'opening') return 'registration'
  return byToken && token !== null ? 'notifications' : 'charges'
}

function askPayment(subject: KnownSubject, { questions, schedule }: QuestionParts): SubjectQuestion['ask'] {
  return async (at, signal) => {
    const asked = await questions.payment(subject.environment, subject.subject, signal)
    if ('failure' in asked) return asked
    const { answer } = asked
    if (answer.sort === 'unknown') return { answer: lacking(subject, 'unknown', at(), schedule) }
    const { status, cents, day } = answer
    return {
      answer: telling(
        subject,
        [{ ...stateOf(subject, status), day, content: { sort: 'payment', cents } }],
        at(),
        schedule,
      ),
    }
  }
}

function askOpening(subject: KnownSubject, { questions, schedule }: QuestionParts): SubjectQuestion['ask'] {
  return async (at, signal) => {
    const asked = await questions.opening(subject.environment, subject.subject, signal)
    if ('failure' in asked) return asked
    const { sort } = asked.answer
    if (sort === 'unknown' || sort === 'undecided') return { answer: lacking(subject, sort, at(), schedule) }
    const states: ToldState[] =
      sort === 'processing' ? [] : [{ ...stateOf(subject, 'conta_aberta'), content: { sort: 'opening' } }]
    return { answer: telling(subject, states, at(), schedule) }
  }
}

function askRecord(
  subject: KnownSubject,
  type: ChargeType,
  { questions, schedule }: QuestionParts,
): SubjectQuestion['ask'] {
  return async (at, signal) => {
    const asked = await questions.record(subject.environment, type, subject.subject, signal)
    if ('failure' in asked) return asked
    const { answer } = asked
    if (answer.sort === 'unknown') return { answer: lacking(subject, 'unknown', at(), schedule) }
    const { status, customId } = answer
    const content = { sort: 'record', type, customId, createdAt: serviceTime(at()) } as const
    return { answer: telling(subject, [{ ...stateOf(subject, status), content }], at(), schedule) }
  }
}

function askToken(subject: KnownSubject, token: string, parts: QuestionParts): SubjectQuestion['ask'] {
  const { questions, schedule, readEntry } = parts
  return async (at, signal) => {
    const asked = await questions.entries(subject.environment, token, signal)
    if ('failure' in asked) return asked
    // The service keeps entries for six months: the record tells of an older charge.
    if (asked.answer.sort === 'unknown' || asked.answer.entries.length === 0)
      return askRecord(subject, subject.type as ChargeType, parts)(at, signal)
    const told = statesOfEntries(subject, token, asked.answer, readEntry)
    if (typeof told === 'string') return { failure: unusable(told) }
    return { answer: telling(subject, told, at(), schedule) }
  }
}

/** In words, why the entries cannot be used: one unknown status makes all of them doubtful. */
function statesOfEntries(
  { environment }: KnownSubject,
  token: string,
  { entries }: EntriesTold,
  readEntry: QuestionParts['readEntry'],
): ToldState[] | string {
  const states: ToldState[] = []
  for (const { entryId, bytes } of entries) {
    const { subject, status, references, body } = readEntry({ environment, token, entryId, bytes })
    if (subject === null || status === null) return `the entry ${entryId} of a token has no id or no status`
    const type = chargeTypeOf(JSON.parse(Buffer.from(bytes).toString()))
    if (!isStatusOf(type, status))
      return `the entry ${entryId} of a token has the unknown status ${status.slice(0, 40)}`
    states.push({ type, subject, status, day: null, token, references, content: { sort: 'entry', entryId, body } })
  }
  return states
}

function unusable(reason: string): QuestionFailure {
  return {
    reason: `the answer of the service cannot be used: ${reason}`,
    isAboutSubject: false,
    isFinal: false,
    retryAfterMs: null,
  }
}

type Stated = Omit<ToldState, 'content'>

function stateOf({ type, subject }: KnownSubject, status: string): Stated {
  const isCharge = type === 'charge' || type === 'subscription'
  const references = isCharge ? { charge: null, subscription: null, [type]: subject } : null
  return { type, subject, status, day: null, token: null, references }
}

function telling(subject: KnownSubject, told: readonly ToldState[], at: number, schedule: AskSchedule): SubjectAnswer {
  const { kind, environment, type, subject: id } = subject
  return { kind, environment, asked: [{ type, subject: id }], at, told, lack: null, schedule }
}

function lacking(
  subject: KnownSubject,
  lack: 'unknown' | 'undecided',
  at: number,
  schedule: AskSchedule,
): SubjectAnswer {
  return { ...telling(subject, [], at, schedule), lack }
}
