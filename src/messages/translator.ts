import { inEnglish } from '../platform/said.ts'
import { contextual, isOfContext, type Translations } from './po.ts'
import { type Filling, type Said, type SpokenLanguage, textOf, translationsOf } from './say.ts'
import { hasPlaces, partsOf, textLengthOf, valuesIn } from './templates.ts'

/** English texts, with values as `{name}`, and each of them in another language. Those of a context are found by `say` alone. */
export type Texts = Translations

/** `own`: in the other language. `value`: a name, a code, a number, a time, what joins texts. `foreign`: words of which only the English is known. */
export interface Part {
  readonly text: string
  readonly kind: 'own' | 'value' | 'foreign'
}

/** What texts are joined with where each comes from another place, such as an error and its cause. */
const JOINTS = /(; |: )/
/** Callers and receivers write parts of some texts: what is beyond these limits is looked up no more, since the work grows with their square. */
const MOST_CHARACTERS = 1500
const MOST_PARTS = 31
/**
 * Characters, of all that is looked up for one text, once and for each template that is tried: in a text made for it, each value is looked up in all of its
 * parts. What is left then stays English.
 */
const MOST_LOOKED_UP = 300_000
/** Templates are found by so many characters of theirs. */
const MARK = 6
/** Names of places whose value is a text; one that is not known is foreign. */
const WORDS = /^(?:words|detail|step)/

/**
 * The text in the other language, and texts within its values too. Of a joined text each known part is translated; what is not known stays as it is.
 */
export function createTranslator(texts: Texts): (text: string) => string {
  const translate = createPartsTranslator(texts)
  return (text) => textOfParts(translate(text))
}

/** As `createTranslator`, in parts. */
export function createPartsTranslator(texts: Texts): (text: string) => readonly Part[] {
  let marked: ReadonlyMap<string, readonly Template[]> | null = null
  return (text) => {
    const own = ownText(texts, text)
    if (own !== null) return [{ text: own, kind: 'own' }]
    marked ??= markedTemplates(texts)
    return translationOf(text, { texts, templates: templatesIn(text, marked), known: new Map(), left: MOST_LOOKED_UP })
  }
}

const translators = new Map<SpokenLanguage, (text: string) => readonly Part[]>()

/** A finished English text in the language, with all that `pt.po` has. */
export function partsInto(language: SpokenLanguage, text: string): readonly Part[] {
  const translate = translators.get(language) ?? createPartsTranslator(translationsOf(language))
  translators.set(language, translate)
  return translate(text)
}

/** As `partsInto`, as one text. */
export function translatedInto(language: SpokenLanguage, text: string): string {
  return textOfParts(partsInto(language, text))
}

/** A text of ours whose values may be finished texts, such as the words of an error. The template of another version may be unknown. */
export function saidInto(language: SpokenLanguage, said: Said): string {
  const isKnown = translationsOf(language).has(contextual(said.context, said.template))
  if (!isKnown) return translatedInto(language, inEnglish(said))
  const values = Object.entries(said.values).map(([name, value]) => [name, valueInto(language, name, value)])
  return textOf({ ...said, values: Object.fromEntries(values) }, language)
}

function valueInto(language: SpokenLanguage, name: string, value: Filling): Filling {
  if (typeof value === 'object') return saidInto(language, value)
  return typeof value === 'string' && (WORDS.test(name) || !isWord(value)) ? translatedInto(language, value) : value
}

function textOfParts(parts: readonly Part[]): string {
  return parts.map((part) => part.text).join('')
}

/** Of a plural that for several. */
function ownText(texts: Texts, english: string): string | null {
  const own = texts.get(english) ?? null
  return typeof own === 'object' ? (own?.[1] ?? null) : own
}

/** Those of each beginning of their longest text. */
function markedTemplates(texts: Texts): ReadonlyMap<string, readonly Template[]> {
  const templates = [...texts.keys()]
    .filter((template) => hasPlaces(template) && !isOfContext(template))
    .sort((one, other) => textLengthOf(other) - textLengthOf(one))
    .map((template, rank) => ({ template, rank, longest: longestText(template) }))
  return Map.groupBy(templates, ({ longest }) => (longest.length < MARK ? '' : longest.slice(0, MARK)))
}

interface Template {
  readonly template: string
  /** Its place in the order in which templates are tried: those with the most text first. */
  readonly rank: number
  readonly longest: string
}

interface Translating {
  readonly texts: Texts
  /** Those whose longest text is in the whole text. */
  readonly templates: readonly Template[]
  /** Texts within the text are met again and again. */
  readonly known: Map<string, Known | null>
  /** Of `MOST_LOOKED_UP`. */
  left: number
}

interface Known {
  readonly parts: readonly Part[]
  /** Nothing in it is foreign, and no value may hold a text of its own. */
  readonly isSure: boolean
}

function translationOf(text: string, translating: Translating): readonly Part[] {
  const whole = knownOf(text, translating)
  if (whole?.isSure) return whole.parts
  const joined = joinedParts(text, translating)
  return whole === null || joined.every(({ kind }) => kind !== 'foreign') ? joined : whole.parts
}

function knownOf(text: string, translating: Translating): Known | null {
  const before = translating.known.get(text)
  if (before !== undefined) return before
  const found = findKnown(text, translating)
  translating.known.set(text, found)
  return found
}

function findKnown(text: string, translating: Translating): Known | null {
  if (text.length > Math.min(MOST_CHARACTERS, translating.left)) return null
  translating.left -= text.length
  const { texts, templates } = translating
  const own = ownText(texts, text)
  if (own !== null) return { parts: [{ text: own, kind: 'own' }], isSure: true }
  let best: Known | null = null
  for (const { template, longest } of templates) {
    if (!text.includes(longest)) continue
    translating.left -= text.length
    const values = valuesIn(template, text)
    if (values === null || (isShort(template) && !Object.values(values).every(isWord))) continue
    const parts = filled(ownText(texts, template) ?? '', values, translating)
    const isSure = parts.every(({ kind }) => kind !== 'foreign') && !holdsClauses(template, values)
    if (isSure) return { parts, isSure }
    best ??= { parts, isSure }
  }
  return best
}

/** @param marked by the beginning of their longest text; '': it is too short */
function templatesIn(text: string, marked: ReadonlyMap<string, readonly Template[]>): Template[] {
  const marks = new Set([''])
  for (let at = 0; at + MARK <= text.length; at++) marks.add(text.slice(at, at + MARK))
  return [...marks]
    .flatMap((mark) => marked.get(mark) ?? [])
    .filter(({ longest }) => text.includes(longest))
    .sort((one, other) => one.rank - other.rank)
}

/** Such as the place of a mistake, in the value with which the text begins, and several mistakes in one value. */
function holdsClauses(template: string, values: Readonly<Record<string, string>>): boolean {
  return Object.entries(values).some(
    ([name, value]) =>
      !WORDS.test(name) && (value.includes('; ') || (template.startsWith(`{${name}}`) && value.includes(': '))),
  )
}

function filled(own: string, values: Readonly<Record<string, string>>, translating: Translating): readonly Part[] {
  return partsOf(own).flatMap((part, index): readonly Part[] =>
    index % 2 === 0 ? [{ text: part, kind: 'own' }] : valueAt(part, values[part] ?? '', translating),
  )
}

function valueAt(name: string, value: string, translating: Translating): readonly Part[] {
  if (WORDS.test(name)) return translationOf(value, translating)
  if (isWord(value)) return [{ text: value, kind: 'value' }]
  return translationOf(value, translating).map((part) => (part.kind === 'foreign' ? { ...part, kind: 'value' } : part))
}

function joinedParts(text: string, translating: Translating): readonly Part[] {
  const all = text.split(JOINTS)
  const parts = all.length > MOST_PARTS ? [...all.slice(0, MOST_PARTS - 1), all.slice(MOST_PARTS - 1).join('')] : all
  const translated: Part[] = []
  for (let begin = 0; begin < parts.length; ) {
    const { own, end } = longestKnown(parts, begin, translating)
    translated.push(...own, { text: parts[end] ?? '', kind: 'value' })
    begin = end + 1
  }
  return translated.filter((part) => part.text !== '')
}

/** The most parts from this one on that are one known text. */
function longestKnown(
  parts: readonly string[],
  begin: number,
  translating: Translating,
): { readonly own: readonly Part[]; readonly end: number } {
  let unsure: { readonly own: readonly Part[]; readonly end: number } | null = null
  for (let end = parts.length; end > begin; end -= 2) {
    // The whole text is known not to be one.
    const known = begin === 0 && end === parts.length ? null : knownOf(parts.slice(begin, end).join(''), translating)
    if (known?.isSure) return { own: known.parts, end }
    if (known !== null) unsure ??= { own: known.parts, end }
  }
  const text = parts[begin] ?? ''
  return unsure ?? { own: [{ text, kind: text.includes(' ') ? 'foreign' : 'value' }], end: begin + 1 }
}

/** Such as '{seen} of {total}' and 'event {id}': a part of many a sentence. */
function isShort(template: string): boolean {
  return /^\{|\{id\}/.test(template) && textLengthOf(template) < 12
}

/** A name, a code or a number. */
function isWord(value: string): boolean {
  return !value.includes(' ')
}

function longestText(template: string): string {
  return partsOf(template)
    .filter((_, index) => index % 2 === 0)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}
