import { z } from 'zod'
import {
  attemptTimeout,
  concurrency,
  duration,
  integer,
  integerOrUnlimited,
  network,
  RELOADED,
  schedule,
  share,
} from './fields.ts'
import type { FileFields } from './secret-files.ts'

/** The section `forwarding`. */
export function forwardingSchema(files: FileFields) {
  return z.strictObject({
    /** In CIDR notation. */
    allowedNetworks: z.array(network).prefault([]).meta(RELOADED),
    schedule: schedule().prefault(['0s', '5s', '30s', '2m', '10m', '30m', '2h', '5h', '10h', '14h', '20h', '24h']),
    jitter: share.prefault(0.2),
    maxAge: duration({ min: '1s', max: '3650d' }).prefault('30d'),
    retryAfterLimit: duration({ min: '0s', max: '30d' }).prefault('1h'),
    timeout: attemptTimeout().prefault('15s'),
    concurrency: concurrency.prefault(8),
    /** Deliveries per second of the backlog of a destination that was down; null: unlimited. */
    catchUpRate: integerOrUnlimited(1, 100_000).prefault(200),
    circuit: z
      .strictObject({
        failures: integer(1, 1000).prefault(5),
        probeInterval: duration({ min: '100ms', max: '1h' }).prefault('15s'),
      })
      .prefault({}),
    clientCertificate: z
      .strictObject({
        certificate: files.path('the path of the certificate that destinations are shown, PEM with its full chain'),
        privateKey: files.path("the path of the certificate's private key, PEM"),
      })
      .optional()
      .meta(RELOADED),
  })
}
