/** A session of the pages that several nodes know. */
export interface PageSession {
  /** Hash of the secret id that the browser sends. */
  readonly key: string
  /** Id of the client, or `operator`. */
  readonly personId: string
  /** Proves with the secret id which credential the person signed in with. */
  readonly proof: string
  /** Thumbprint of the peer certificate that it is bound to; null: none. */
  readonly certificate: string | null
  readonly startedAt: number
  readonly usedAt: number
  /** Of a person of an OpenID provider; null: of a client, or of the operator. */
  readonly grant: TeamGrant | null
}

/** What the provider granted, for every node. */
export interface TeamGrant {
  /** Hash of the id of the session at the provider; null: the provider named none. */
  readonly sid: string | null
  /** Claims and refresh token, encrypted. */
  readonly sealed: string
  /** From 1 on: a larger one with each change of `sealed`. */
  readonly version: number
  /** When a node last began to ask the provider. */
  readonly askedAt: number
}

/** A value that counts once. */
export interface OnceUsed {
  readonly hash: string
  readonly at: number
  /** Afterwards the value is not valid anyway. */
  readonly until: number
}

export interface PageSessionLimits {
  readonly sessions: number
  readonly sessionsOfPerson: number
  /** Sessions that began before have ended. */
  readonly startedSince: number
  /** So have those without use since. */
  readonly usedSince: number
}

export interface PageSessionWrites {
  /** Ends the least recently used ones beyond the limits. */
  keepSession(session: PageSession, limits: PageSessionLimits): Promise<void>
  /** Not for each use: a minute is precise enough. */
  useSession(key: string, at: number): Promise<void>
  endSession(key: string): Promise<void>
  /**
   * Lets one node ask the provider: the one that calls first, and again for a grant that was asked for at `before` or earlier, or at `after` or later (by a clock
   * that was set back). Null: the session has ended.
   */
  claimGrant(
    key: string,
    times: { readonly at: number; readonly before: number; readonly after: number },
  ): Promise<{ readonly isClaimed: boolean; readonly grant: TeamGrant } | null>
  /** Replaces the grant of this version by the next one. False: it has another version, or the session has ended. */
  keepGrant(key: string, grant: Pick<TeamGrant, 'sealed' | 'version'>): Promise<boolean>
  /** Ends sessions of people of the provider: those of the person, or of the session there, or of both. @returns their number; null: `once` was used */
  endGrants(
    whose: { readonly personId: string | null; readonly sid: string | null },
    once: OnceUsed,
  ): Promise<number | null>
  /** False: it was used before. */
  takeOnce(once: OnceUsed): Promise<boolean>
}

export interface PageSessionStore extends PageSessionWrites {
  /** null: it is unknown, or has ended. */
  getSession(key: string): Promise<PageSession | null>
  listSessionKeys(): Promise<string[]>
  listGrants(): Promise<(Pick<TeamGrant, 'version' | 'askedAt'> & { readonly key: string })[]>
}
