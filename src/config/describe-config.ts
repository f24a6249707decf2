import type { Config } from './config.ts'

/** The configuration as plain data for people to read: every secret, token and header value is "set". */
export function describeConfig(config: Config): object {
  const { chargeNotifications, destinations } = config
  return {
    ...config,
    chargeNotifications: chargeNotifications && {
      ...chargeNotifications,
      tokens: chargeNotifications.tokens.map(({ environment }) => ({ environment, token: 'set' })),
    },
    destinations: destinations.map((destination) => ({
      ...destination,
      secrets: destination.secrets.map(() => 'set'),
      headers: destination.headers.map(([name]) => [name, 'set']),
    })),
  }
}
