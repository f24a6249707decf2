import { z } from 'zod'
import { CRL_EXPIRED } from '../domain/trust.ts'
import { isLoopback } from '../platform/loopback.ts'
import { baseUrl, duration, host, network, oneOf, pathSegment, port, RELOADED, RELOADED_WHILE_SET } from './fields.ts'
import {
  checkListenerLimits,
  checkTlsPair,
  listenerLimits,
  tlsFiles,
  toListenerLimits,
  toTlsFiles,
} from './listener-schema.ts'
import type { Named } from './named.ts'
import { oidcSchema, toOidc } from './oidc-schema.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

/** The section `api`. */
export function apiSchema(files: FileFields) {
  return z
    .strictObject({
      host: host.prefault('127.0.0.1'),
      port: port.prefault(8080),
      /** For requests without TLS, besides localhost and loopback addresses. */
      hostNames: z.array(host.transform((name) => name.toLowerCase())).prefault([]),
      /** What precedes /ui/ for people, without a slash at the end; null: unknown. */
      publicUrl: baseUrl('https://portaria.example.com', ['https:', 'http:']).optional().meta(RELOADED),
      ...tlsFiles(files),
      /** null: as `optional`, but `required` for the service's own contract below /registration and /payment; only where there is TLS. */
      clientCertificates: oneOf(['off', 'optional', 'required']).optional(),
      /** null: no client certificate is requested. */
      clientCa: files
        .path("the path of the authorities of your apps' certificates, PEM")
        .optional()
        .meta(RELOADED_WHILE_SET),
      /** Of these authorities; empty: nothing is revoked. */
      clientCrl: z.array(files.path('the path of a revocation list, PEM or DER')).prefault([]).meta(RELOADED),
      clientCrlExpired: oneOf(CRL_EXPIRED).prefault('warn').meta(RELOADED),
      /** Read when the API starts. */
      operatorTokenFile: files.path("the path of a file with the operator's token").optional(),
      metrics: oneOf(['open', 'protected']).optional(),
      pages: oneOf(['on', 'off']).prefault('on'),
      pagesIdleEnd: duration({ min: '1m', max: '12h' }).prefault('30m'),
      /** null: people sign in here only. */
      oidc: oidcSchema(files).optional(),
      limits: z
        .strictObject(listenerLimits('30s'))
        .superRefine(...reportOn(checkListenerLimits))
        .prefault({}),
      proxyProtocol: z.array(network).prefault([]),
      /** The service's name in paths and scopes, `svc` in its documents. */
      servicePathSegment: pathSegment.prefault('svc'),
    })
    .superRefine(...reportOn(checkTlsPair))
    .superRefine(...reportOn(checkApiTls))
    .superRefine(...reportOn(checkClientCertificates))
}

export function toApi(section: Named<z.output<ReturnType<typeof apiSchema>>>) {
  const { certificate, privateKey, pages, pagesIdleEndMs, oidc, ...api } = section
  const tls = toTlsFiles({ certificate, privateKey })
  return {
    ...api,
    /** null: plain http; then the host is a loopback address. */
    tls,
    // Without TLS the API is reachable from this machine only.
    metrics: api.metrics ?? (tls === null ? 'open' : 'protected'),
    /** Of the pages below /ui; null: they are not served. */
    pages: pages === 'on' ? { idleEndMs: pagesIdleEndMs } : null,
    oidc: oidc && toOidc(oidc),
    limits: toListenerLimits(api.limits),
  }
}

/** Tokens and events must not cross a network unencrypted. */
function checkApiTls(value: unknown, report: ReportProblem): void {
  const host = at(value, 'host')
  if (typeof host !== 'string' || isLoopback(host)) return
  if (at(value, 'certificate') !== undefined || at(value, 'privateKey') !== undefined) return
  report(
    ['host'],
    'is not a loopback address, so the API must have TLS: add certificate and privateKey, or write 127.0.0.1',
  )
}

function checkClientCertificates(value: unknown, report: ReportProblem): void {
  const [wanted, trust] = [at(value, 'clientCertificates'), at(value, 'clientCa')]
  const hasTls = at(value, 'certificate') !== undefined || at(value, 'privateKey') !== undefined
  if (!hasTls && wanted !== undefined && wanted !== 'off')
    report(['clientCertificates'], 'needs TLS: add certificate and privateKey')
  if (!hasTls && trust !== undefined) report(['clientCa'], 'needs TLS: add certificate and privateKey')
  const lists = at(value, 'clientCrl')
  if (trust === undefined && Array.isArray(lists) && lists.length > 0)
    report(['clientCrl'], 'needs clientCa, the authorities that signed the lists: add it, or remove the lists')
  if (wanted === 'off' && trust !== undefined)
    report(['clientCa'], 'contradicts `clientCertificates: off`, which requests none: keep one of them')
  if ((wanted === 'optional' || wanted === 'required') && trust === undefined)
    report(['clientCa'], "is missing: write the path of a PEM file with the CAs of your apps' certificates")
}
