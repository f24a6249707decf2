import { z } from 'zod'
import { type ControlEndpoint, controlEndpoint } from '../control-api/control-endpoint.ts'

/** Access tokens. Their lifetime follows the real clock, so that only this ends them early. */
export function tokensControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'expireTokens',
      isForBoth: true,
      method: 'post',
      path: '/tokens/expire',
      summary: 'End all access tokens of the environment at once, or those of one application; without one, of both',
      body: z.strictObject({ clientId: z.string().min(1).optional() }),
      answers: {
        200: { description: 'How many ended', schema: z.object({ expired: z.int() }) },
      },
      run({ sites, body: { clientId } }) {
        const expired = sites.reduce((sum, { tokens }) => sum + tokens.expire(clientId), 0)
        return { status: 200, json: { expired } }
      },
    }),
  ]
}
