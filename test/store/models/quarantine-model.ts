import fc from 'fast-check'
import { expect } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { aHeldCallback, NOON } from '../../support/builders.ts'

/** Something that happens: a callback with facts about accounts, or a decision about what is held back. */
export type QuarantineCommand =
  | { readonly type: 'receive'; readonly facts: readonly { readonly subject: number; readonly isOwn: boolean }[] }
  | { readonly type: 'release' | 'discard'; readonly id: number }

const receive = fc.record({
  type: fc.constant('receive' as const),
  facts: fc.array(fc.record({ subject: fc.nat(3), isOwn: fc.boolean() }), { minLength: 1, maxLength: 3 }),
})
const decide = fc.record({
  type: fc.constantFrom('release' as const, 'discard' as const),
  id: fc.integer({ min: 1, max: 5 }),
})

export const aQuarantineCommand: fc.Arbitrary<QuarantineCommand> = fc.oneof(receive, decide)

interface Held {
  readonly subject: string
  state: 'quarantined' | 'released' | 'discarded'
  seen: number
}

/** The rules in the shortest way. A fact is its subject here: the same bytes, whether its account counts as one's own or not yet. */
export function createQuarantineModel() {
  const events = new Map<string, number>()
  const held: Held[] = []

  function take(subject: string, isOwn: boolean): void {
    const known = events.get(subject)
    const same = held.find((one) => one.subject === subject && one.state !== 'released')
    if (known !== undefined) events.set(subject, known + 1)
    else if (isOwn) events.set(subject, 0)
    else if (same !== undefined) same.seen++
    else held.push({ subject, state: 'quarantined', seen: 1 })
  }

  /** What the store must say: null, or the code of its error. */
  function judge(type: 'release' | 'discard', id: number): string | null {
    const one = held[id - 1]
    if (one === undefined) return 'not_found'
    if (one.state !== 'quarantined') return 'conflict'
    one.state = `${type}${type === 'release' ? 'd' : 'ed'}` as Held['state']
    const known = events.get(one.subject)
    if (type === 'release') events.set(one.subject, known === undefined ? one.seen - 1 : known + one.seen)
    return null
  }

  return {
    async run(store: Store, command: QuarantineCommand): Promise<void> {
      if (command.type === 'receive') {
        for (const { subject, isOwn } of command.facts) take(String(subject), isOwn)
        await store.storeCallback(callbackOf(command.facts))
        return
      }
      const decision = { by: 'operator', at: NOON }
      const done = command.type === 'release' ? store.releaseQuarantined : store.discardQuarantined
      const code = await done(command.id, decision).then(
        () => null,
        (error: unknown) => (error instanceof PortariaError ? error.code : error),
      )
      expect(code).toBe(judge(command.type, command.id))
    },
    events: () => [...events],
    held: () => held.map(({ subject, state, seen }) => [subject, state, seen]),
  }
}

function callbackOf(facts: readonly { subject: number; isOwn: boolean }[]) {
  const items = facts.map(({ subject }) => `{"txid":"${subject}"}`)
  const callback = aHeldCallback(`[${items.join()}]`, [''])
  return {
    ...callback,
    facts: callback.facts.map((fact, index) => {
      const { quarantine: _held, ...own } = fact
      return facts[index]?.isOwn === true ? own : fact
    }),
  }
}
