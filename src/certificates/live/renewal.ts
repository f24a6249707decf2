import { guarded } from '../../platform/background.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'

/** What was read, with what is wrong with it although it can be used. */
export interface Loaded<T> {
  readonly value: T
  readonly warnings: readonly string[]
}

/** Something that is made from certificate files and can be exchanged while the gateway runs. */
export interface Renewable<T> {
  /** What it is, for texts. */
  readonly name: string
  /** Reads and checks everything. @throws PortariaError: then what is in use stays */
  load(inUse: T): Loaded<T>
  /** Equal for equal content: nothing is exchanged for nothing. */
  identityOf(value: T): string
  /** @throws when it cannot be taken up; then what is in use stays */
  apply(value: T): void
}

export interface Renewal {
  readonly renewed: readonly string[]
  /** Each names what stays as it was, and why. */
  readonly problems: readonly string[]
}

export interface Renewals {
  /** What is in use from now on, as it was loaded. */
  add<T>(renewable: Renewable<T>, inUse: T): void
  /** Tries everything anew; each is taken up for itself, and one that cannot be used leaves the others alone. Its problems are in the log. */
  renew(): Renewal
  /** The same when files were seen to change. What cannot be used is told of only if it stays so: certificate and key are written one after the other. */
  renewSoon(): void
  close(): void
}

/** Within this time a pair is complete again, or somebody must look at it. */
const HEALING_MS = 2000
/** What cannot be used may become usable without a change of its file: when its time has come, or the clock was set right. */
const RETRY_MS = 60_000

/** One renewable, whatever it is made of. */
interface Tried {
  readonly name: string
  readonly isRenewed: boolean
  readonly problems: readonly string[]
}

export function createRenewals(log: Log, { healingMs = HEALING_MS, retryMs = RETRY_MS } = {}): Renewals {
  const all: (() => Tried)[] = []
  /** Of each renewable the problems that the log knows: looking at the files again is no news. */
  const reported = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined
  let due = 0

  function tryAll(mustTell: (tried: Tried) => boolean): Tried[] {
    return all.map((tryOne) => {
      const tried = tryOne()
      if (tried.problems.length === 0) recovered(tried)
      else if (mustTell(tried)) tell(tried)
      return tried
    })
  }

  function tell({ name, problems }: Tried): void {
    reported.set(name, problems.join('\n'))
    for (const problem of problems)
      log.error({ what: name, problem, hint: 'what was in use stays in use' }, 'certificate.not_renewed')
  }

  /** What was read again is what is in use: without this line nobody would know that the problem is over. */
  function recovered({ name, isRenewed }: Tried): void {
    if (reported.delete(name) && !isRenewed) log.info({ what: name }, 'certificate.recovered')
  }

  const isNew = ({ name, problems }: Tried) => reported.get(name) !== problems.join('\n')

  const tryAgain = guarded(log, 'renewing certificates', () => {
    timer = undefined
    tryAgainAfter(retryMs, tryAll(isNew))
  })

  /** The earliest counts: of a file that is written again and again somebody must be told, too. */
  function tryAgainAfter(waitMs: number, tried: readonly Tried[]): void {
    if (tried.every(({ problems }) => problems.length === 0)) return
    const at = performance.now() + waitMs
    if (timer !== undefined && due <= at) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(tryAgain, waitMs).unref()
  }

  return {
    add(renewable, inUse) {
      all.push(createTry(renewable, inUse, log))
    },
    renew() {
      const tried = tryAll(() => true)
      tryAgainAfter(retryMs, tried)
      return {
        renewed: tried.filter(({ isRenewed }) => isRenewed).map(({ name }) => name),
        problems: tried.flatMap(({ name, problems }) =>
          problems.map((problem) => `${name} stays as it was: ${problem}`),
        ),
      }
    },
    renewSoon() {
      tryAgainAfter(
        healingMs,
        tryAll(() => false),
      )
    },
    close() {
      clearTimeout(timer)
    },
  }
}

function createTry<T>(renewable: Renewable<T>, initial: T, log: Log): () => Tried {
  const { name } = renewable
  let inUse = initial
  return function tryOne() {
    try {
      const { value, warnings } = renewable.load(inUse)
      if (renewable.identityOf(value) === renewable.identityOf(inUse)) return { name, isRenewed: false, problems: [] }
      renewable.apply(value)
      inUse = value
      for (const warning of warnings) log.error({ warning }, 'certificate.warning')
      log.info({ what: name }, 'certificate.renewed')
      return { name, isRenewed: true, problems: [] }
    } catch (error) {
      const problems = error instanceof PortariaError && error.details.length > 0 ? error.details : [messageOf(error)]
      return { name, isRenewed: false, problems }
    }
  }
}
