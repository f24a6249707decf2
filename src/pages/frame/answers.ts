import type { ApiAnswer, FormResult } from './page.ts'
import { Refused } from './refusals.ts'

/**
 * The body of a successful answer.
 * @throws Refused for a refusal, which becomes a page that shows the reason
 */
export function jsonOf<T>(answer: ApiAnswer): T {
  if (answer.status >= 400) throw new Refused(answer)
  return answer.json as T
}

/** The result of a form: its message, or the refusal, which the frame puts into words. */
export function resultOf(answer: ApiAnswer, location: string, message: string): FormResult {
  return answer.status >= 400 ? { kind: 'refused', location, answer } : { kind: 'redirect', location, message }
}
