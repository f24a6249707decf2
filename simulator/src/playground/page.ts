import type { Language } from '../conformance/text.ts'
import type { Calls } from './caller-calls.ts'
import type { LocalGateway } from './local-gateway.ts'
import type { Section } from './sections.ts'
import type { Caller, Surroundings } from './surroundings.ts'
import type { Words } from './words/words.ts'

/** What every page knows. */
export interface View {
  readonly surroundings: Surroundings
  readonly calls: Calls
  readonly gateway: LocalGateway
  readonly words: Words
  readonly language: Language
  /** In whose name requests are made. */
  readonly caller: Caller
  /** Path and query of this page. */
  readonly here: string
  /** Where it is in the navigation; null: nowhere. */
  readonly section: Section | null
  readonly query: URLSearchParams
  /** Address of another page for the same caller. @param path below /playground */
  link(path: string): string
}
