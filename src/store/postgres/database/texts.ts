/*
 * PostgreSQL stores no NUL in a text, and what callers send may hold one. It is stored as U+0001 U+0002, and U+0001 as U+0001 U+0001: equal texts stay
 * equal, and a text begins with the same texts as before.
 */

const HIDDEN = { '\0': '\u0001\u0002', '\u0001': '\u0001\u0001' } as const

const TO_HIDE = /[\0\u0001]/
const HIDDEN_PAIR = /\u0001([\u0001\u0002])/g

export function hideNul(text: string): string {
  if (!TO_HIDE.test(text)) return text
  return text.replaceAll(new RegExp(TO_HIDE, 'g'), (one) => HIDDEN[one as keyof typeof HIDDEN])
}

export function showNul(text: string): string {
  if (!text.includes('\u0001')) return text
  return text.replaceAll(HIDDEN_PAIR, (_, second: string) => (second === '\u0002' ? '\0' : '\u0001'))
}
