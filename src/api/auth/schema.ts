import { z } from 'zod'
import { TOKEN_ERROR_CODES } from './token-request.ts'

export const GRANT = 'client_credentials'

/** RFC 6749 section 4.4.2. Unknown parameters are ignored (section 3.2). */
export const tokenRequestSchema = z
  .looseObject({
    grant_type: z.literal(GRANT),
    scope: z.string().nullish().describe('Scope names, separated by spaces. Default: every scope of the client'),
    client_id: z.string().nullish().describe('Together with client_secret, instead of HTTP Basic'),
    client_secret: z.string().nullish(),
  })
  .meta({ id: 'TokenRequest' })

/** RFC 6749 section 5.1. */
export const tokenSchema = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('In seconds'),
    scope: z.string(),
  })
  .meta({ id: 'Token', description: 'An access token.' })

/** RFC 6749 section 5.2. */
export const tokenErrorSchema = z
  .strictObject({ error: z.enum(TOKEN_ERROR_CODES), error_description: z.string() })
  .meta({ id: 'TokenError', description: 'An error of a token endpoint (RFC 6749 section 5.2).' })
