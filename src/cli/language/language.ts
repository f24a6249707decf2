import type { Language } from '../../messages/languages.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { inEnglish, type Said } from '../../platform/said.ts'

/** As those of src/messages/languages.ts: each command loads this file. */
const LANGUAGES: readonly Language[] = ['en', 'pt']

let inUse: Language = 'en'
let translate = inEnglishWords
let lookUp = (text: string) => text

/**
 * Loads the texts of the language; English has none to load.
 * @param language null: that of the environment
 */
export async function speak(language: Language | null): Promise<void> {
  inUse = language ?? languageOfEnvironment()
  translate = inEnglishWords
  lookUp = (text) => text
  if (inUse !== 'pt') return
  const [{ saidInto, translatedInto }, { tableText }] = await Promise.all([
    import('../../messages/translator.ts'),
    import('../../messages/say.ts'),
  ])
  translate = (text) => (typeof text === 'string' ? translatedInto(inUse, text) : saidInto(inUse, text))
  lookUp = (text) => tableText(text, inUse)
}

function inEnglishWords(text: Said | string): string {
  return typeof text === 'string' ? text : inEnglish(text)
}

/** That of the command line. */
export function languageInUse(): Language {
  return inUse
}

/** For texts that pages say, too. Loaded by commands that need it. */
export async function speakerInUse(): Promise<Speaker> {
  const { speaker } = await import('../../messages/speaker.ts')
  return speaker(inUse)
}

/** The text in the language of the command line, as far as src/messages/pt.po has it. */
export function translated(text: Said | string): string {
  return translate(text)
}

/** As `sectionOf` writes it: a name of up to 15 characters, whose value is translated where it is made, if it is a text. */
const FIELD = /^ {2}\w+ +(?<=^.{18})\S/

/** The same, for each line by itself. */
export function translatedLines(text: string): string {
  return text.replaceAll(/^.+$/gm, (line) =>
    FIELD.test(line) ? line : line.replace(/[^ ].*/, (words) => translate(words)),
  )
}

/** Of help, most of which is in the language already: a line is looked up as a whole, and no template is tried. */
export function helpLines(text: string): string {
  return text.replaceAll(/[^ \n].*/g, (line) => lookUp(line))
}

/** That of `--lang`, before and behind the name of the command; null: there is none, or another one, which commander refuses. */
export function languageIn(args: readonly string[]): Language | null {
  const given = args.map((arg, index) => (arg === '--lang' ? args[index + 1] : /^--lang=(.*)$/.exec(arg)?.[1]))
  const last = given.findLast((one) => one !== undefined)
  return LANGUAGES.find((language) => language === last) ?? null
}

/** POSIX, Base Definitions, section 8.2: the first of these variables that is not empty. */
export function languageOfEnvironment({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv = process.env): Language {
  const locale = LC_ALL || LC_MESSAGES || LANG || ''
  return LANGUAGES.find((language) => new RegExp(`^${language}(?![a-z])`).test(locale)) ?? 'en'
}
