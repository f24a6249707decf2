import { errors } from 'jose'
import { messageOf } from '../platform/errors.ts'
import { ProviderUnreachable } from './provider-fetch.ts'

/** Whether the provider gave no answer, as opposed to a refusal. Libraries wrap the error. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ProviderUnreachable || error instanceof errors.JWKSTimeout) return true
  return error instanceof Error && error.cause !== undefined && isUnreachable(error.cause)
}

/** What happened, from the outermost error to its cause, for the log: without tokens, which no library writes into a message. */
export function reasonOf(error: unknown): string {
  const messages: string[] = []
  for (let one = error; one instanceof Error && messages.length < 5; one = one.cause) messages.push(messageOf(one))
  const { error: code } = Object(error)
  if (typeof code === 'string') messages.unshift(code.slice(0, 100))
  return [...new Set(messages)].join(': ')
}
