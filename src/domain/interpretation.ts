import { isUtf8 } from 'node:buffer'
import { placesInBody, readBodyText } from '../platform/body-text.ts'
import { elementsOf, isArrayAt, locate, parsePointer, type Span } from '../platform/json-text.ts'
import { isDeeperThan, valueAt } from '../platform/json-value.ts'
import {
  type AccountCheck,
  type AccountMatch,
  compileAccounts,
  numberAt,
  type Place,
  type QuarantineReason,
} from './accounts.ts'
import type { ChargeReferences, Fact, FactSpan, Interpretation, Mark, ReceivedCallback } from './event.ts'
import { sha256Of } from './event-hash.ts'
import { CHARGE_KIND, type KindRule } from './kinds.ts'
import { compileVariable, hasVariable } from './routes.ts'
import { isResolvableToken, tokenOfForm, tokenOfJson } from './service/token-form.ts'

const MAX_FACTS = 1000
const MAX_DEPTH = 64

/** Limit of a subject or status, in UTF-16 code units. A longer value is no business id and is left out. */
const MAX_EXTRACT = 512

export type ReceivedBody = Pick<
  ReceivedCallback,
  'body' | 'contentType' | 'environment' | 'listener' | 'resolvesTokens'
> & {
  /** Only kinds whose path is variable need it. */
  readonly target?: string
}

export type Interpreter = (received: ReceivedBody) => Interpretation

interface CompiledRule {
  readonly name: string
  readonly split: readonly string[][]
  readonly subject: readonly string[][]
  readonly status: readonly string[][]
  readonly deduplicateBy: readonly string[][]
  readonly isCharge: boolean
  /** null: facts about any account are accepted. */
  readonly checkAccount: AccountCheck | null
}

/** Interprets the callbacks of one kind. Never throws: an unreadable body becomes one marked fact. */
export function compileInterpreter(rule: KindRule): Interpreter {
  const compiled: CompiledRule = {
    name: rule.name,
    split: rule.split.map(parsePointer),
    subject: rule.subject.map(parsePointer),
    status: rule.status.map(parsePointer),
    deduplicateBy: rule.deduplicateBy.map(parsePointer),
    isCharge: rule.name === CHARGE_KIND,
    checkAccount: compileAccounts(rule.accounts),
  }
  function interpret(received: ReceivedBody): Interpretation {
    const read = interpretUtf8(compiled, received)
    return read.mark === 'unparsed' ? (interpretDecoded(compiled, received) ?? read) : read
  }
  return hasVariable(rule.path) ? withPath(rule.path, interpret) : interpret
}

/** Where the path says what a fact is about, two equal bodies at two paths are two facts. */
function withPath(path: string, interpret: Interpreter): Interpreter {
  const valueIn = compileVariable(path)
  return function interpretAtPath(received) {
    const value = received.target === undefined ? null : valueIn(received.target)
    const { facts, ...rest } = interpret(received)
    if (value === null) return { facts, ...rest }
    return { ...rest, facts: facts.map((fact) => (fact.kind === 'probe' ? fact : atPath(fact, value))) }
  }
}

function atPath(fact: Fact, value: string): Fact {
  const subject = fact.subject ?? (value.length <= MAX_EXTRACT ? value : null)
  return { ...fact, subject, hash: fact.hash && sha256Of(`${value}\0`, [fact.hash]) }
}

function interpretUtf8(rule: CompiledRule, received: ReceivedBody): Interpretation {
  const { body } = received
  if (!looksLikeJson(body)) {
    if (isBlank(body)) return probeOnly()
    const token = tokenOfForm(body)
    if (token !== null) return interpretToken(rule, token, received)
  }
  const value = parseJson(body)
  if (value === undefined) return unread(rule, keyOf(rule.name, received, [body]), 'unparsed')
  if (isProbeCall(value)) return probeOnly()
  const token = rule.isCharge ? tokenOfJson(value) : null
  if (token !== null) return interpretToken(rule, token, received)
  return interpretJson(rule, received, value)
}

/** Reads the UTF-8 form of a body that has a byte order mark or another charset; the places are those in its own bytes. null: it is no such body. */
function interpretDecoded(rule: CompiledRule, received: ReceivedBody): Interpretation | null {
  const decoded = readBodyText(received.body, received.contentType)
  if (decoded === null || (decoded.unitBytes === 'utf8' && decoded.markBytes === 0)) return null
  const read = interpretUtf8(rule, { ...received, body: Buffer.from(decoded.text) })
  if (read.mark === 'unparsed') return null
  const placeOf = placesInBody(decoded)
  const facts = read.facts.map((fact) => (fact.span === null ? fact : { ...fact, span: placed(fact.span, placeOf) }))
  return { ...read, facts }
}

function placed(span: FactSpan, placeOf: (position: number) => number): FactSpan {
  return {
    arrayStart: placeOf(span.arrayStart),
    arrayEnd: placeOf(span.arrayEnd),
    itemStart: placeOf(span.itemStart),
    itemEnd: placeOf(span.itemEnd),
  }
}

/** The token of a charge form is never a duplicate: the form is the same for the whole life of its charge. */
function interpretToken(rule: CompiledRule, token: string, { resolvesTokens = false }: ReceivedBody): Interpretation {
  if (resolvesTokens && rule.isCharge && isResolvableToken(token))
    return { facts: [], mark: null, notificationToken: token }
  const { facts, mark } = unread(rule, null, null)
  const subject = token.length <= MAX_EXTRACT ? token : null
  return { facts: facts.map((fact) => ({ ...fact, subject })), mark }
}

/** The callback as one event, for when storing its facts failed. @param held whether it must be quarantined */
export function unparsedInterpretation(kind: string, held: boolean): Interpretation {
  return wholeBody(kind, null, { mark: 'unparsed', ...(held && { quarantine: 'account_missing' }) })
}

function interpretJson(rule: CompiledRule, received: ReceivedBody, value: unknown): Interpretation {
  const { body } = received
  const whole: Place = { span: { start: 0, end: body.length }, value }
  if (isDeeperThan(value, MAX_DEPTH)) return unread(rule, keyOf(rule.name, received, [body]), 'unsplit')
  const found = findArray(rule, value) ?? findObject(rule, value)
  if (found?.items.length === 0 && holdsNothingElse(value, found.tokens)) return probeOnly()
  if (found === null || found.items.length === 0) return { facts: [wholeFact(rule, received, whole)], mark: null }
  const parts = found.items.length
  if (parts > MAX_FACTS) return unread(rule, keyOf(rule.name, received, [body]), 'unsplit')
  const envelope = readEnvelope(rule, received, whole, found.tokens)
  const spans = isArrayAt(body, envelope.array) ? elementsOf(body, envelope.array) : [envelope.array]
  const facts = spans.map((span, index) => {
    const item = { span, value: found.items[index] }
    return partFact(rule, received, { envelope, item, part: index + 1, parts })
  })
  return { facts, mark: null }
}

/** Values that all facts of a callback share, read once, because a thousand small facts may be in a large envelope. */
interface Envelope {
  /** Or the object in its place. */
  readonly array: Span
  readonly subject: string | null
  readonly status: string | null
  readonly references: ChargeReferences
  /** Key of the envelope without the array. */
  readonly key: Uint8Array
  /** The account for facts that name none; undefined: accounts are not checked. */
  readonly standing: AccountMatch | undefined
}

function readEnvelope(rule: CompiledRule, received: ReceivedBody, whole: Place, pointer: readonly string[]): Envelope {
  const { body } = received
  const array = locate(body, whole.span, pointer) as Span
  const before = body.subarray(0, array.start + 1)
  return {
    array,
    subject: extract(body, whole, rule.subject),
    status: extract(body, whole, rule.status),
    references: referencesIn(rule, body, whole),
    key: keyOf(rule.name, received, [Buffer.from(`${before.length}\0`), before, body.subarray(array.end - 1)]),
    standing: rule.checkAccount?.(body, whole, isArrayAt(body, array) ? pointer : undefined),
  }
}

function wholeFact(rule: CompiledRule, received: ReceivedBody, whole: Place): Fact {
  const { body } = received
  const fact = {
    kind: rule.name,
    subject: extract(body, whole, rule.subject),
    status: extract(body, whole, rule.status),
    hash: pointerKey(rule, received, whole.span) ?? keyOf(rule.name, received, [body]),
    span: null,
    part: 1,
    parts: 1,
    ...named(referencesIn(rule, body, whole)),
  }
  return withStanding(fact, rule.checkAccount?.(body, whole))
}

interface Placed {
  readonly envelope: Envelope
  readonly item: Place
  readonly part: number
  readonly parts: number
}

function partFact(rule: CompiledRule, received: ReceivedBody, { envelope, item, part, parts }: Placed): Fact {
  const { body } = received
  const bytes = body.subarray(item.span.start, item.span.end)
  const fact = {
    kind: rule.name,
    subject: extract(body, item, rule.subject) ?? envelope.subject,
    status: extract(body, item, rule.status) ?? envelope.status,
    hash: pointerKey(rule, received, item.span) ?? keyOf(rule.name, received, [envelope.key, bytes]),
    // A single fact is forwarded as the received bytes, with the white space around it.
    span: parts === 1 ? null : spanOf(envelope.array, item.span),
    part,
    parts,
    ...named(referencesIn(rule, body, item, envelope.references)),
  }
  const standing = rule.checkAccount?.(body, item)
  return withStanding(fact, standing === 'account_missing' ? envelope.standing : standing)
}

function withStanding(fact: Fact, standing: AccountMatch | undefined): Fact {
  return standing === undefined || standing === 'own' ? fact : { ...fact, quarantine: standing }
}

function spanOf(array: Span, item: Span): FactSpan {
  return { arrayStart: array.start + 1, arrayEnd: array.end - 1, itemStart: item.start, itemEnd: item.end }
}

interface Found {
  readonly tokens: readonly string[]
  readonly items: readonly unknown[]
}

function findArray(rule: CompiledRule, value: unknown): Found | null {
  for (const tokens of rule.split) {
    const items = valueAt(value, tokens)
    if (Array.isArray(items)) return { tokens, items }
  }
  return null
}

/** Some institutions test an address with an empty list. Beside other members, an empty list may say something. */
function holdsNothingElse(value: unknown, tokens: readonly string[]): boolean {
  let inner = value
  for (const token of tokens) {
    if (Object.keys(Object(inner)).length !== 1) return false
    inner = valueAt(inner, [token])
  }
  return true
}

/** Some callers send a single fact as an object in place of the array. */
function findObject(rule: CompiledRule, value: unknown): Found | null {
  for (const tokens of rule.split) {
    const item = tokens.length === 0 ? undefined : valueAt(value, tokens)
    if (typeof item === 'object' && item !== null) return { tokens, items: [item] }
  }
  return null
}

/** The first string or number at one of the pointers. */
function extract(body: Uint8Array, place: Place, pointers: readonly string[][]): string | null {
  for (const tokens of pointers) {
    const value = valueAt(place.value, tokens)
    if (typeof value === 'string' && value !== '' && value.length <= MAX_EXTRACT) return value
    if (typeof value === 'number') {
      const text = numberAt(body, place.span, tokens)
      if (text !== null && text.length <= MAX_EXTRACT) return text
    }
  }
  return null
}

const NO_REFERENCES: ChargeReferences = { charge: null, subscription: null }
const CHARGE_ID = [['charge_id'], ['identifiers', 'charge_id']]
const SUBSCRIPTION_ID = [['subscription_id'], ['identifiers', 'subscription_id']]

/** Facts of other kinds have none. */
function referencesIn(
  rule: CompiledRule,
  body: Uint8Array,
  place: Place,
  envelope: ChargeReferences = NO_REFERENCES,
): ChargeReferences {
  if (!rule.isCharge) return NO_REFERENCES
  return {
    charge: extract(body, place, CHARGE_ID) ?? envelope.charge,
    subscription: extract(body, place, SUBSCRIPTION_ID) ?? envelope.subscription,
  }
}

function named(references: ChargeReferences): Pick<Fact, 'references'> {
  return references.charge === null && references.subscription === null ? {} : { references }
}

/** Key from the configured pointers; null where one leads to nothing, because a partial key would suppress other facts. */
function pointerKey(rule: CompiledRule, received: ReceivedBody, place: Span): Uint8Array | null {
  if (rule.deduplicateBy.length === 0) return null
  const values: Uint8Array[] = []
  for (const tokens of rule.deduplicateBy) {
    const span = locate(received.body, place, tokens)
    if (span === null) return null
    values.push(received.body.subarray(span.start, span.end), Buffer.from([0]))
  }
  return keyOf(`${rule.name}\0pointers`, received, values)
}

function keyOf(kind: string, { environment, listener }: ReceivedBody, bytes: readonly Uint8Array[]): Uint8Array {
  return sha256Of(`${kind}\0${environment}\0${listener}\0`, bytes)
}

/** A fact without any value, so its account is missing. */
function unread(rule: CompiledRule, key: Uint8Array | null, mark: Mark | null): Interpretation {
  return wholeBody(rule.name, key, { mark, ...(rule.checkAccount !== null && { quarantine: 'account_missing' }) })
}

function wholeBody(
  kind: string,
  key: Uint8Array | null,
  { mark, ...held }: { readonly mark: Mark | null; readonly quarantine?: QuarantineReason },
): Interpretation {
  return { facts: [{ kind, subject: null, status: null, hash: key, span: null, part: 1, parts: 1, ...held }], mark }
}

function probeOnly(): Interpretation {
  return wholeBody('probe', null, { mark: null })
}

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/** True for nearly every body, which then needs no check for a blank body or a form. */
function looksLikeJson(body: Uint8Array): boolean {
  return body[0] === OPEN_BRACE || body[0] === OPEN_BRACKET
}

/** The service's test call at registration: exactly `{}` or `{"evento":"teste_webhook"}` (service-decisions.md). */
function isProbeCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const names = Object.keys(value)
  return names.length === 0 || (names.length === 1 && (value as { evento?: unknown }).evento === 'teste_webhook')
}

function isBlank(body: Uint8Array): boolean {
  return body.length < 1024 && body.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
}

function parseJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) return undefined
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'))
  } catch {
    // Not JSON: the caller stores the bytes unchanged and marks them.
    return undefined
  }
}
