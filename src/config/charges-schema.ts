import { z } from 'zod'
import { realmOf } from '../domain/realm.ts'
import { baseUrl, environment, host, network, port, RELOADED, text } from './fields.ts'
import { checkTlsPair, tlsFiles, toTlsFiles } from './listener-schema.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { at, type ReportProblem, reportOn } from './section-checks.ts'

/** The section `chargeNotifications`: the listener that takes callbacks without a client certificate. */
export function chargesSchema(files: FileFields) {
  const token = z.strictObject({
    institution: text('the name of an institution').optional(),
    environment,
    tokenFile: files.token,
  })
  return z
    .strictObject({
      host,
      port,
      /** What precedes /charges/TOKEN in the registered URL, https or http, without a slash at the end; null: unknown. */
      publicUrl: baseUrl('https://hooks.example.com:8444', ['https:', 'http:']).optional().meta(RELOADED),
      ...tlsFiles(files),
      /** Of charges, at /charges/TOKEN. */
      tokens: z.array(token).prefault([]),
      /** Of the other kinds, behind their paths. */
      pathTokens: z.array(token.extend({ kind: text('the name of a kind') })).prefault([]),
      /** Empty: every address. */
      allowedAddresses: z.array(network).prefault([]),
      proxyProtocol: z.array(network).prefault([]),
    })
    .superRefine(...reportOn(checkTlsPair))
    .superRefine(...reportOn(checkAnyToken))
}

type Section = Named<z.output<ReturnType<typeof chargesSchema>>>

export function toCharges({ certificate, privateKey, ...charges }: Section) {
  return {
    ...charges,
    tls: toTlsFiles({ certificate, privateKey }),
    /** No token occurs twice, here and in `pathTokens` together; one of the two is not empty. */
    tokens: charges.tokens.map(toToken),
    pathTokens: charges.pathTokens.map(({ kind, ...entry }) => ({ ...toToken(entry), kind })),
  }
}

function toToken({ institution, environment, tokenFile }: Section['tokens'][number]) {
  return { environment: realmOf(institution, environment), token: tokenFile }
}

function checkAnyToken(value: unknown, report: ReportProblem): void {
  const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0)
  if (isEmpty(at(value, 'tokens')) && isEmpty(at(value, 'pathTokens')))
    report(['tokens'], 'names no token, so no caller could be accepted: add `- environment` with its `tokenFile`')
}
