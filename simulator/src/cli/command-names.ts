import type { Language } from '../conformance/text.ts'

/** How texts name the commands. The gateway's command line sets its own before it builds this one. */
export const commandNames = {
  simulator: 'portaria-simulator',
  /** That of `conformance` and `trigger`. */
  program: 'portaria-simulator',
  gateway: 'portaria',
}

let inUse: Language = 'en'
let translate = (text: string) => text

/** Loads the texts of the language; English has none to load. Before a command is built. */
export async function speak(language: Language, names: Partial<typeof commandNames> = {}): Promise<void> {
  Object.assign(commandNames, names)
  inUse = language
  translate = (text) => text
  if (language === 'en') return
  const [{ createTranslator }, { portuguese }] = await Promise.all([
    import('../messages/translator.ts'),
    import('../messages/po.ts'),
  ])
  translate = createTranslator(portuguese(null))
}

/** That of the command line. */
export function languageInUse(): Language {
  return inUse
}

/** POSIX, Base Definitions, section 8.2: the first of these variables that is not empty. */
export function languageOfEnvironment({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): Language {
  return /^pt(?![a-z])/.test(LC_ALL || LC_MESSAGES || LANG || '') ? 'pt' : 'en'
}

/** A name of up to 15 characters, whose value is translated where it is made, if it is a text. */
const FIELD = /^ {2}\w+ +(?<=^.{18})\S/

/** Each line of the text in the language of the command line. */
export function translated(text: string): string {
  return text.replaceAll(/^.+$/gm, (line) =>
    FIELD.test(line) ? line : line.replace(/[^ ].*/, (words) => translate(words)),
  )
}

/** What each line on standard error begins with: `portaria-simulator: `. */
export function errorPrefix(): string {
  return `${/[\w-]+$/.exec(commandNames.program)?.[0]}: `
}
