import * as oauth from 'oauth4webapi'
import { type Agent, install } from 'undici'

// The generated clients make requests of the global class, which must be undici's own so that its agents can send them.
install()

/** The part of an OpenAPI document that says where a token comes from. */
interface Document {
  readonly components: { readonly securitySchemes: { readonly oauth: { readonly flows: Flows } } }
}
interface Flows {
  readonly clientCredentials: { readonly tokenUrl: string; readonly scopes: Readonly<Record<string, string>> }
}

export interface Credentials {
  readonly id: string
  readonly secret: string
  /** With the client certificate of the account. */
  readonly agent: Agent
}

/** Options of a generated client. */
export interface Connection {
  readonly auth: string
  readonly fetch: typeof fetch
}

export function fetchBy(agent: Agent): typeof fetch {
  return (input, init) => fetch(input, { ...init, dispatcher: agent } as unknown as RequestInit)
}

/** Fetches a token as the document's security scheme says. @param wanted scopes; default: all that the document has */
export async function connect(document: object, credentials: Credentials, wanted?: string[]): Promise<Connection> {
  const { id, secret, agent } = credentials
  const { tokenUrl, scopes } = (document as Document).components.securitySchemes.oauth.flows.clientCredentials
  const server = { issuer: tokenUrl, token_endpoint: tokenUrl }
  const client = { client_id: id }
  const scope = (wanted ?? Object.keys(scopes)).join(' ')
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(secret),
    new URLSearchParams(scope === '' ? {} : { scope }),
    { [oauth.customFetch]: (url, options) => fetchBy(agent)(url, options as RequestInit) },
  )
  const { access_token: auth } = await oauth.processClientCredentialsResponse(server, client, response)
  return { auth, fetch: fetchBy(agent) }
}
