import { LOG_EVENTS, type LogEventWords } from '../../messages/en/log-events.ts'
import type { Language } from '../../messages/languages.ts'
import { LOG_EVENTS as IN_PORTUGUESE } from '../../messages/pt/log-events.ts'

/** What each event means and what to do, by its name. */
export function readMeanings(language: Language = 'en'): ReadonlyMap<string, string> {
  const events: Readonly<Record<string, LogEventWords>> = language === 'en' ? LOG_EVENTS : IN_PORTUGUESE
  return new Map(
    Object.entries(events).map(([event, { meaning, action }]) => [
      event,
      withoutMarkdown(action === undefined ? meaning : `${meaning} ${action}`),
    ]),
  )
}

function withoutMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
