import { type AlarmFailureCode, type AlarmFailureFacts, failureText } from '../../domain/alarms/failure.ts'
import { withoutControlCharacters } from '../../platform/control-characters.ts'
import { createSecretCleaner } from '../../platform/secret-cleaner.ts'
import type { AlarmMessage } from '../message.ts'

export interface Channel {
  readonly name: string
  /** @throws AlarmFailure, within the time limit of the signal */
  send(message: AlarmMessage, signal: AbortSignal): Promise<void>
}

/** Why a message was not sent, without a secret. */
export class AlarmFailure extends Error implements AlarmFailureFacts {
  override readonly name = 'AlarmFailure'
  readonly code: AlarmFailureCode
  readonly words: string | null
  /** The header `Retry-After`, as it came. */
  readonly retryAfter: string | undefined

  constructor(code: AlarmFailureCode, words: string | null = null, retryAfter?: string) {
    super(failureText({ code, words }))
    this.code = code
    this.words = words
    this.retryAfter = retryAfter
  }
}

const WORDS_LIMIT = 200

/** With words of a far side or of the system: on one line, without our secrets, and cut. */
export function failureOf(
  code: AlarmFailureCode,
  words: string,
  secrets: Iterable<string> = [],
  retryAfter?: string,
): AlarmFailure {
  const clean = createSecretCleaner(secrets)
  const line = withoutControlCharacters(clean(words).replaceAll(/\s+/g, ' ').trim())
  return new AlarmFailure(code, line.length > WORDS_LIMIT ? `${line.slice(0, WORDS_LIMIT)}…` : line, retryAfter)
}

/** A text of at most so many characters, cut at the end of a line. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most - 2)
  const end = cut.lastIndexOf('\n')
  return `${end > 0 ? cut.slice(0, end) : cut}\n…`
}
