import { createHash } from 'node:crypto'
import { z } from 'zod'
import { createSealing } from './sealed.ts'
import type { OidcSettings } from './settings.ts'

const contentSchema = z.strictObject({
  /** Of the sign-in: with the id of the session it proves that both belong together. */
  credential: z.string(),
  /** What people call the person, and the session at the provider; null: it has no id. Answers to a refresh may lack both. */
  name: z.string(),
  sid: z.string().nullable(),
  claims: z.looseObject({ sub: z.string() }),
  refreshToken: z.string().nullable(),
  startedAt: z.number(),
  confirmedAt: z.number(),
})

/** What every node needs to go on with a session. */
export type GrantContent = z.output<typeof contentSchema>

/** Grants as the database keeps them: encrypted, with a key that all nodes derive from the client secret. */
export function createGrants(settings: Pick<OidcSettings, 'issuer' | 'clientId' | 'clientSecret'>) {
  const sealing = createSealing(settings, 'session')
  return {
    seal({ credential, name, sid, claims, refreshToken, startedAt, confirmedAt }: GrantContent): Promise<string> {
      const content: GrantContent = { credential, name, sid, claims, refreshToken, startedAt, confirmedAt }
      return sealing.seal(JSON.stringify(content))
    },
    /** null: another client secret sealed it. */
    async open(sealed: string): Promise<GrantContent | null> {
      const text = await sealing.open(sealed)
      return text === null ? null : contentSchema.parse(JSON.parse(text))
    },
  }
}

/** Names a value of the provider in the database, which does not have the value. */
export function hashOf(issuer: string, value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, value]))
    .digest('base64url')
}
