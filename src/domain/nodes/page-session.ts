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
}

export interface PageSessionStore extends PageSessionWrites {
  /** null: it is unknown, or has ended. */
  getSession(key: string): Promise<PageSession | null>
  listSessionKeys(): Promise<string[]>
}
