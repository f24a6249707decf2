import { z } from 'zod'
import { DEVICE_GRANT, REFRESH_GRANT, TOKEN_ERROR_CODES } from './token-request.ts'

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

/** At the gateway's own token endpoint also RFC 8628 section 3.4 and RFC 6749 section 6. */
export const grantRequestSchema = tokenRequestSchema
  .extend({
    grant_type: z.enum([GRANT, DEVICE_GRANT, REFRESH_GRANT]),
    device_code: z.string().nullish().describe('That of /oauth/device_authorization'),
    refresh_token: z.string().nullish().describe('That of the answer before'),
  })
  .meta({ id: 'GrantRequest' })

/** RFC 7009 section 2.1. */
export const revocationSchema = z
  .looseObject({ token: z.string().describe('The refresh token of a person'), token_type_hint: z.string().nullish() })
  .meta({ id: 'RevocationRequest' })

/** RFC 8628 section 3.1. Unknown parameters are ignored. */
export const deviceRequestSchema = z
  .looseObject({ client_id: z.string().nullish().describe('Any: people sign in, not the program') })
  .meta({ id: 'DeviceAuthorizationRequest' })

/** RFC 8628 section 3.2. */
export const deviceAuthorizationSchema = z
  .strictObject({
    device_code: z.string(),
    user_code: z.string().describe('What the person enters at verification_uri'),
    verification_uri: z.string(),
    verification_uri_complete: z.string().optional().describe('With the code'),
    expires_in: z.int().min(1).describe('In seconds'),
    interval: z.number().min(0).describe('Seconds between two requests for the token'),
  })
  .meta({ id: 'DeviceAuthorization' })

/** RFC 6749 section 5.1. */
export const tokenSchema = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(1).describe('In seconds'),
    scope: z.string(),
  })
  .meta({ id: 'Token', description: 'An access token.' })

/** Of the gateway's own token endpoint. */
export const grantedTokenSchema = tokenSchema
  .extend({
    refresh_token: z.string().optional().describe('For a person: takes the place of the one before'),
    person: z.string().optional().describe('Name of the person who signed in'),
  })
  .meta({ id: 'GrantedToken', description: 'An access token.' })

/** RFC 6749 section 5.2. */
export const tokenErrorSchema = z
  .strictObject({ error: z.enum(TOKEN_ERROR_CODES), error_description: z.string() })
  .meta({ id: 'TokenError', description: 'An error of a token endpoint (RFC 6749 section 5.2).' })
