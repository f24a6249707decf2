/**
 * How texts name the commands, and the language that they are in, line by line. The gateway's command line sets its own before it builds this one.
 */
export const commandNames = {
  simulator: 'portaria-simulator',
  /** That of `conformance` and `trigger`. */
  program: 'portaria-simulator',
  gateway: 'portaria',
  translated: (text: string): string => text,
  language: (): 'en' | 'pt' => 'en',
}

/** The text in the language of the command line. */
export function translated(text: string): string {
  return commandNames.translated(text)
}

/** What each line on standard error begins with: `portaria-simulator: `. */
export function errorPrefix(): string {
  return `${/[\w-]+$/.exec(commandNames.program)?.[0]}: `
}
