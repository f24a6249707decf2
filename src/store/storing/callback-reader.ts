import type { Interpretation, NewCallback, ReceivedCallback } from '../../domain/event.ts'
import { compileInterpreter, type Interpreter, unparsedInterpretation } from '../../domain/interpretation.ts'
import type { KindRule } from '../../domain/kinds.ts'
import { institutionOf, kindKey } from '../../domain/realm.ts'

/** Reads the facts of a callback by the rule of its kind. Never throws. */
export type CallbackReader = (callback: ReceivedCallback | NewCallback) => NewCallback

/**
 * A callback that has its facts already keeps them. One that cannot be read becomes one unparsed event, and is quarantined where its kind checks
 * accounts or has no rule: nothing received may be lost, and nothing unchecked forwarded.
 */
export function createCallbackReader(rules: readonly KindRule[]): CallbackReader {
  const interpreters = new Map<string, Interpreter>(
    rules.map((rule) => [kindKey(rule.institution, rule.name), compileInterpreter(rule)]),
  )
  const unchecked = new Set(
    rules.filter(({ accounts }) => accounts.length === 0).map(({ institution, name }) => kindKey(institution, name)),
  )

  function interpret(callback: ReceivedCallback): Interpretation {
    const { kind, environment } = callback
    const key = kindKey(institutionOf(environment), kind)
    try {
      const read = interpreters.get(key)?.(callback)
      if (read !== undefined) return read
    } catch {
      // The mark of the callback and its log line show it.
    }
    return unparsedInterpretation(kind, !unchecked.has(key))
  }

  return function readCallback(callback) {
    if ('facts' in callback) return callback
    const { facts, mark, notificationToken } = interpret(callback)
    // Spreading the interpretation, too, would cost twice as much.
    const read = { ...callback, facts, mark }
    return notificationToken === undefined ? read : { ...read, notificationToken }
  }
}
