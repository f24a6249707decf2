import type { Response } from 'express'

/** Answers with a value as JSON. */
export function sendJson(response: Response, value: unknown): void {
  sendJsonText(response, JSON.stringify(value))
}

/** Answers with text that is JSON already: callbacks' data keeps its numbers as they were written. */
export function sendJsonText(response: Response, text: string): void {
  response.type('application/json').send(text)
}

export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
