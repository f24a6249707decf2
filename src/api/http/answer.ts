import type { Response } from 'express'

export function sendJson(response: Response, text: string): void {
  response.type('application/json').send(text)
}

export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
