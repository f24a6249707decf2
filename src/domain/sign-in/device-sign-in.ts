import type { ClientPrincipal } from '../client.ts'

/** People who sign in on a device without a browser (RFC 8628), at an OpenID provider. */
export interface DeviceSignIn {
  begin(): Promise<DeviceBegun | DeviceRefusal>
  /** One question to the provider, whether the person has signed in. @param deviceCode of `DeviceBegun` */
  redeem(deviceCode: string): Promise<DeviceGranted | DeviceRefusal>
  /** Asks the provider whether the person may go on. @param refreshToken of `DeviceGranted` */
  renew(refreshToken: string): Promise<DeviceGranted | DeviceRefusal>
  /** Ends the sign-in at the provider. @returns null: it has ended */
  revoke(refreshToken: string): Promise<DeviceRefusal | null>
  /** @returns null: the token is none of these; `void`: the configuration has no role for the person any more */
  principalOf(accessToken: string): Promise<ClientPrincipal | 'expired' | 'void' | null>
  /** Whether the token of this principal, which `principalOf` returned, has expired. */
  isOver(principal: ClientPrincipal): boolean
}

export interface DeviceBegun {
  readonly kind: 'begun'
  /** For the device alone. */
  readonly deviceCode: string
  /** What the person enters at `verificationUri`. */
  readonly userCode: string
  readonly verificationUri: string
  /** With the code; null: the provider has none. */
  readonly verificationUriComplete: string | null
  readonly expiresInS: number
  /** Between two questions. */
  readonly intervalS: number
}

export interface DeviceGranted {
  readonly kind: 'granted'
  readonly principal: ClientPrincipal
  readonly name: string
  readonly accessToken: string
  readonly expiresInS: number
  /** Takes the place of an earlier one; null: the provider gave none. */
  readonly refreshToken: string | null
}

export interface DeviceRefusal {
  readonly kind: 'refused'
  /** `unknown`: the code or token was not issued here. The others as in RFC 6749, sections 4.1.2.1 and 5.2, RFC 7009 and RFC 8628. */
  readonly error:
    | 'unknown'
    | 'authorization_pending'
    | 'slow_down'
    | 'access_denied'
    | 'expired_token'
    | 'invalid_grant'
    | 'unsupported_grant_type'
    | 'unsupported_token_type'
    | 'temporarily_unavailable'
  readonly words: string
}
