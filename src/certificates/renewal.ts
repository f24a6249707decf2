import { messageOf, PortariaError } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'

/** Something that is made from certificate files and can be exchanged while the gateway runs. */
export interface Renewable<T> {
  /** What it is, for texts. */
  readonly name: string
  /** Reads and checks everything. @throws PortariaError: then what is in use stays */
  load(): T
  /** Equal for equal content: nothing is exchanged for nothing. */
  identityOf(loaded: T): string
  apply(loaded: T): void
}

export interface Renewal {
  readonly renewed: readonly string[]
  /** Each names what stays as it was, and why. */
  readonly problems: readonly string[]
}

export interface Renewals {
  /** What is in use from now on, as it was loaded. */
  add<T>(renewable: Renewable<T>, inUse: T): void
  /** Tries everything anew; each is taken up for itself, and one that cannot be used leaves the others alone. */
  renew(): Renewal
}

export function createRenewals(log: Log): Renewals {
  const all: (() => Renewal)[] = []

  function renewOne<T>(renewable: Renewable<T>, state: { identity: string }): Renewal {
    const { name } = renewable
    try {
      const loaded = renewable.load()
      const identity = renewable.identityOf(loaded)
      if (identity === state.identity) return { renewed: [], problems: [] }
      renewable.apply(loaded)
      state.identity = identity
      log.info({ what: name }, 'certificate.renewed')
      return { renewed: [name], problems: [] }
    } catch (error) {
      const details = error instanceof PortariaError && error.details.length > 0 ? error.details : [messageOf(error)]
      for (const problem of details)
        log.error({ what: name, problem, do: 'what was in use stays in use' }, 'certificate.not_renewed')
      return { renewed: [], problems: details.map((problem) => `${name} stays as it was: ${problem}`) }
    }
  }

  return {
    add(renewable, inUse) {
      const state = { identity: renewable.identityOf(inUse) }
      all.push(() => renewOne(renewable, state))
    },
    renew() {
      const results = all.map((renewOne) => renewOne())
      return {
        renewed: results.flatMap(({ renewed }) => renewed),
        problems: results.flatMap(({ problems }) => problems),
      }
    },
  }
}
