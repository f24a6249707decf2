import { LOG_EVENTS, type LogEventWords } from '../../messages/en/log-events.ts'
import { type SpokenLanguage, tableText } from '../../messages/say.ts'

/** What each event means and what to do, by its name. */
export function readMeanings(language: SpokenLanguage = 'en'): ReadonlyMap<string, string> {
  const events: Readonly<Record<string, LogEventWords>> = LOG_EVENTS
  return new Map(
    Object.entries(events).map(([event, { meaning, action }]) => {
      const texts = action === undefined ? [meaning] : [meaning, action]
      return [event, withoutMarkdown(texts.map((text) => tableText(text, language)).join(' '))]
    }),
  )
}

function withoutMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
