import { namedParts } from '../domain/realm.ts'
import { type NewRefusal, REFUSAL_REASONS, type RefusedCaller, type RefusingListener } from '../domain/refusal.ts'
import { printable } from '../platform/control-characters.ts'

const NAME_LENGTH = 255

export function newRefusal(
  caller: RefusedCaller & { readonly remoteAddress: string },
  listener: RefusingListener,
  refusedAt: number,
): NewRefusal {
  return {
    refusedAt,
    listener,
    remoteAddress: caller.remoteAddress,
    code: caller.code,
    reason: printable(caller.reason ?? REFUSAL_REASONS[caller.code]).slice(0, NAME_LENGTH),
    rawCode: caller.rawCode ?? null,
    detail: shown(caller.detail),
    environment: caller.environment ?? null,
    tlsVersion: caller.tlsVersion ?? null,
    serverName: shown(caller.serverName),
    chain: caller.chain ?? [],
    count: 1,
  }
}

/** Text of an untrusted caller as it is logged, stored and shown. */
function shown(text: string | undefined): string | null {
  return text === undefined ? null : printable(text).slice(0, NAME_LENGTH)
}

/** Leaves out missing fields. Of the chain only the first certificate; the record has the rest. */
export function lineOf({ refusedAt: _refusedAt, count: _count, chain, environment, ...fields }: NewRefusal): object {
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  const [certificate] = chain
  return {
    ...known,
    ...(environment !== null && namedParts(environment)),
    ...(certificate !== undefined && {
      subject: certificate.subject,
      issuer: certificate.issuer,
      fingerprint: certificate.fingerprint,
    }),
  }
}
