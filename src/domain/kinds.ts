import type { AccountRule } from './accounts.ts'
import { type PersonalData, personalDataOf } from './masking/personal-data.ts'
import { SEARCH_ALL, type SearchRule } from './search/search-rule.ts'

/** How the callbacks of one kind are routed and interpreted. Pointers are JSON Pointers (RFC 6901). */
export interface KindRule {
  /** null: of a configuration that names none. */
  readonly institution: string | null
  readonly name: string
  /** Path of the kind's route, without the optional suffixes. */
  readonly path: string
  /** Pointers to arrays whose members are one fact each, the first that names an array wins; '' is a root array. An object in place of one is one fact. */
  readonly split: readonly string[]
  /** Tried in order in the fact, then in the envelope around it; the first string or number wins. */
  readonly subject: readonly string[]
  readonly status: readonly string[]
  /** Pointers to the values that identify a fact, in place of the hash of its bytes; empty: the bytes. */
  readonly deduplicateBy: readonly string[]
  /** Facts about other accounts are quarantined; empty: none are. The account is read from the fact, then from the envelope. */
  readonly accounts: readonly AccountRule[]
  /** Time without callbacks after which an alarm is raised; null: no alarm. */
  readonly alertAfterMs: number | null
  /** null: events of this kind are not indexed. */
  readonly search: SearchRule | null
  readonly personalData: PersonalData
}

/** What masking needs to know of a kind. */
export type MaskedKind = Pick<KindRule, 'institution' | 'name' | 'split' | 'subject' | 'status' | 'personalData'>

/** Its callbacks may be tokens, and its events name charges. */
export const CHARGE_KIND = 'charge'

/** Those of payments received, of the service and of the central bank's callbacks: any customer of an institution may register your URL for them. */
export const PAYMENT_KINDS: readonly string[] = ['payment', 'pix']

/** A notification, and the service's answer to the query of a token. */
const CHARGE_SPLIT = ['/notification/entries', '/data']

const SUBJECT = [
  '/identificador',
  '/contaSimplificada/identificador',
  '/idPagamento',
  '/identificadorPagamento',
  '/charge_id',
  '/identifiers/charge_id',
  '/subscription_id',
  '/identifiers/subscription_id',
  '/carnet_id',
  '/identifiers/carnet_id',
  '/endToEndId',
  '/txid',
  '/idRec',
]

const STATUS = ['/status/atual', '/status/current', '/status', '/evento']

/** Defaults for the keys of a kind (service-decisions.md, the callbacks' fields). */
export function kindDefaults(name: string): Omit<KindRule, 'name' | 'path'> {
  return {
    institution: null,
    split: name === CHARGE_KIND ? CHARGE_SPLIT : [],
    subject: SUBJECT,
    status: STATUS,
    deduplicateBy: [],
    accounts: [],
    alertAfterMs: null,
    search: SEARCH_ALL,
    personalData: personalDataOf(name),
  }
}

/** What an institution wants for a stored callback. */
export interface WantedAnswer {
  readonly status: number
  readonly body: string
  /** Names of request headers that the answer repeats, in lower case. */
  readonly echoHeaders: readonly string[]
  /** A later answer is logged and counted; null: none is late. */
  readonly withinMs: number | null
  /** `get`: the institution tests an address with a GET, which is answered 200; null: it does not. */
  readonly validation: 'get' | null
}
