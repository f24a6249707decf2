import { readBodyText } from '../../platform/body-text.ts'
import { isJsonText } from '../../platform/json-text.ts'
import type { EventWithBody } from '../event-record.ts'
import type { MaskedKind } from '../kinds.ts'
import { institutionOf, kindKey } from '../realm.ts'
import { HiddenTexts } from './hidden-texts.ts'
import { MASK, maskJson } from './mask-json.ts'
import { compilePersonalData, isMaskedAt, type PersonalPaths } from './personal-paths.ts'

/** What a reader without the right to personal data may see of one event. */
export interface MaskedEvent {
  /** JSON text; null: the payload was removed. A body that is no JSON is hidden as a whole. */
  readonly data: string | null
  readonly subject: string | null
  readonly status: string | null
  readonly contentType: string | null
  /** The text, or the mask if it repeats a masked value. */
  readonly shown: (text: string) => string
}

/** An event, or a quarantined fact. */
export type Maskable = Pick<
  EventWithBody,
  'kind' | 'environment' | 'subject' | 'status' | 'contentType' | 'body' | 'payloadRemovedAt'
>

export type EventMask = (event: Maskable) => MaskedEvent

interface CompiledKind {
  /** null: every text is masked. */
  readonly personal: PersonalPaths | null
  /** Whether the subject or the status may come from a masked place: it is masked where the payload cannot tell. */
  readonly isSubjectPersonal: boolean
  readonly isStatusPersonal: boolean
}

/** Reports of the gateway itself and requests without a fact hold no personal data. */
const OWN_KINDS = ['operator', 'probe']
const NOTHING_PERSONAL = compile({ institution: null, name: '', split: [], subject: [], status: [], personalData: [] })
const UNKNOWN = compile({ institution: null, name: '', split: [], subject: [], status: [], personalData: null })

/** Masks events by the rules of their kinds. Of a kind that is no longer configured every text is masked. */
export function createEventMask(kinds: readonly MaskedKind[]): EventMask {
  const known = new Map(kinds.map((kind) => [kindKey(kind.institution, kind.name), compile(kind)]))

  return function maskEvent(event) {
    const kind =
      known.get(kindKey(institutionOf(event.environment), event.kind)) ??
      (OWN_KINDS.includes(event.kind) ? NOTHING_PERSONAL : UNKNOWN)
    const { data, hidden } = maskBody(event, kind)
    // Without a readable payload the values cannot be compared.
    const isBlind = data === null || data === HIDDEN
    const shown = (text: string) => (hidden.contains(text) ? MASK : text)
    const trait = (text: string | null, isPersonal: boolean) =>
      text !== null && (kind.personal === null || data === HIDDEN || (isBlind && isPersonal))
        ? MASK
        : text && shown(text)
    return {
      data,
      subject: trait(event.subject, kind.isSubjectPersonal),
      status: trait(event.status, kind.isStatusPersonal),
      contentType: event.contentType === null ? null : shown(mediaTypeOf(event.contentType)),
      shown,
    }
  }
}

function compile({ split, subject, status, personalData }: MaskedKind): CompiledKind {
  const personal = personalData === null ? null : compilePersonalData(personalData, split)
  const isPersonal = (pointer: string) => personal === null || isMaskedAt(personal, pointer)
  return { personal, isSubjectPersonal: subject.some(isPersonal), isStatusPersonal: status.some(isPersonal) }
}

const HIDDEN = JSON.stringify(MASK)

function maskBody(
  { body, contentType, payloadRemovedAt }: Maskable,
  { personal }: CompiledKind,
): { data: string | null; hidden: HiddenTexts } {
  if (payloadRemovedAt !== null) return { data: null, hidden: new HiddenTexts() }
  const text = jsonTextOf(body, contentType)
  if (text === null) return { data: HIDDEN, hidden: new HiddenTexts() }
  const { text: data, hidden } = maskJson(text, personal)
  return { data, hidden }
}

/** null: the bytes are no JSON. */
function jsonTextOf(body: Uint8Array, contentType: string | null): string | null {
  const text = readBodyText(body, contentType)?.text
  return text !== undefined && isJsonText(text) ? text : null
}

/** Without parameters, in which anything may be written. */
function mediaTypeOf(contentType: string): string {
  return /^[A-Za-z0-9.+-]{1,60}\/[A-Za-z0-9.+-]{1,60}(?=$|[\s;])/.exec(contentType)?.[0] ?? MASK
}
