import type { ChargeReferences } from '../event.ts'
import type { Realm } from '../realm.ts'
import type { ChargeType, SubjectType } from './subjects.ts'

/** A state that the service told of a subject. */
export interface ToldState {
  readonly type: SubjectType
  readonly subject: string
  readonly status: string
  /** As in KnownSubject. */
  readonly day: string | null
  readonly token: string | null
  readonly references: ChargeReferences | null
  readonly content: ToldContent
}

/** What the body of its event needs, beside the subject and its statuses. */
export type ToldContent =
  | { readonly sort: 'payment'; readonly cents: number }
  | { readonly sort: 'opening' }
  | { readonly sort: 'record'; readonly type: ChargeType; readonly customId: string | null; readonly createdAt: string }
  /** The body itself: that of an entry of a token, as TokenEntry has it. */
  | { readonly sort: 'entry'; readonly entryId: number; readonly body: Uint8Array }

/** What one question to the service has told. */
export interface SubjectAnswer {
  readonly kind: string
  readonly environment: Realm
  /** The subjects that the question was about. */
  readonly asked: readonly { readonly type: SubjectType; readonly subject: string }[]
  readonly at: number
  /** Of the subjects that were asked for, and of others that the answer names. Empty: the service told no state. */
  readonly told: readonly ToldState[]
  /** Why it told none; null: it told one. */
  readonly lack: 'unknown' | 'undecided' | null
  readonly schedule: AskSchedule
}

/** When a subject is asked for again. In ms. */
export interface AskSchedule {
  readonly everyMs: number
  readonly giveUpAfterMs: number
}

export interface SettledAnswer {
  /** Public ids of the new events, in their order. */
  readonly eventIds: readonly string[]
  readonly facts: readonly { readonly kind: string; readonly subject: string | null; readonly status: string | null }[]
  /** As in StoredCallback. */
  readonly destinationIds: readonly number[]
}

/** The body of the event of a state, in the shape of the callback that was missed. @param previous the last known status here */
export function bodyOfState({ subject, status, content }: ToldState, previous: string | null): Uint8Array {
  switch (content.sort) {
    case 'payment':
      return json({
        identificador: subject,
        status: { anterior: previous, atual: status },
        valor: moneyText(content.cents),
      })
    case 'opening':
      return json({ contaSimplificada: { identificador: subject }, evento: status })
    case 'record': {
      const entry = {
        id: null,
        type: content.type,
        custom_id: content.customId,
        status: { current: status, previous },
        identifiers: { [`${content.type}_id`]: numberOrText(subject) },
        created_at: content.createdAt,
      }
      return json({ notification: { token: null, entries: [entry] } })
    }
    case 'entry':
      return content.body
  }
}

/** `15010` is `150.10`. */
function moneyText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

function numberOrText(subject: string): number | string {
  const number = Number(subject)
  return String(number) === subject && Number.isSafeInteger(number) ? number : subject
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
