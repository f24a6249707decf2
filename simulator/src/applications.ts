import type { Interface } from './interfaces.ts'
import type { Collection } from './records.ts'

/** An account of the service's customer. */
export interface Account {
  readonly number: string
  readonly digit: string
  readonly payeeCode: string
  readonly name: string
  /** CPF or CNPJ, digits. */
  readonly document: string
  /** SHA-256 fingerprints of its client certificates, as Node writes them: upper case, with colons. */
  readonly fingerprints: readonly string[]
}

/** An integrator's application in one environment, which acts for one account. */
export interface Application {
  readonly clientId: string
  readonly clientSecret: string
  /** Number of its account. */
  readonly account: string
  /** Interfaces that take its credentials. */
  readonly interfaces: readonly Interface[]
  /** With the configured segment in place of `svc`. */
  readonly scopes: readonly string[]
}

/** Applications and accounts of one environment: those of the folder, and those that were opened since. */
export interface Applications {
  find(clientId: string): Application | undefined
  list(): readonly Application[]
  /** The scopes that new tokens may have. */
  scopesOf(application: Application): readonly string[]
  setScopes(clientId: string, scopes: readonly string[]): void
  /** The account of an application, a charge or another record of an account. */
  accountOf(record: Pick<Application, 'account'>): Account
  accounts(): readonly Account[]
  fingerprintsOf(application: Application): readonly string[]
  addAccount(account: Account): void
  addApplication(application: Application): void
}

export function createApplications(
  given: { readonly applications: readonly Application[]; readonly accounts: readonly Account[] },
  stored: {
    readonly applications: Collection<Application>
    readonly accounts: Collection<Account>
    readonly scopes: Collection<readonly string[]>
  },
): Applications {
  const list = () => [...given.applications, ...stored.applications.list()]
  // A stored account replaces that of the folder: it may have more certificates.
  const accounts = () => [
    ...given.accounts.filter(({ number }) => stored.accounts.get(number) === undefined),
    ...stored.accounts.list(),
  ]
  function accountOf({ account }: Pick<Application, 'account'>): Account {
    const found = accounts().find(({ number }) => number === account)
    if (found === undefined) throw new Error(`unreachable: account ${account} is not there`)
    return found
  }
  return {
    find: (clientId) => list().find((application) => application.clientId === clientId),
    list,
    scopesOf: ({ clientId, scopes }) => stored.scopes.get(clientId) ?? scopes,
    setScopes: (clientId, scopes) => stored.scopes.put(clientId, scopes),
    accountOf,
    accounts,
    fingerprintsOf: (application) => accountOf(application).fingerprints,
    addAccount: (account) => stored.accounts.put(account.number, account),
    addApplication: (application) => stored.applications.put(application.clientId, application),
  }
}
