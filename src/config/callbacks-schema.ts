import { z } from 'zod'
import { DEFAULT_SUFFIXES } from '../domain/routes.ts'
import { baseUrl, host, network, port, RELOADED, routePath, size } from './fields.ts'
import { type Institution, kindsSchema, toChain, toKind, trustSchema } from './institution-schema.ts'
import { checkListenerLimits, listenerLimits, toListenerLimits } from './listener-schema.ts'
import type { Named } from './named.ts'
import type { FileFields } from './secret-files.ts'
import { reportOn } from './section-checks.ts'

/** The section `callbacks`. Its chains, kinds and suffixes are those of the unnamed institution. */
export function callbacksSchema(files: FileFields) {
  return z.strictObject({
    host,
    port,
    /**
     * What precedes the paths of callbacks in their registered URLs, https, without a slash at the end; null: unknown. Only commands read it.
     */
    publicUrl: baseUrl('https://hooks.example.com').optional().meta(RELOADED),
    certificate: files.path("the path of this server's certificate, PEM with its full chain").meta(RELOADED),
    privateKey: files.path("the path of the certificate's private key, PEM").meta(RELOADED),
    trust: trustSchema(files).optional().meta(RELOADED),
    suffixes: z.array(routePath).prefault([...DEFAULT_SUFFIXES]),
    kinds: kindsSchema().optional(),
    limits: z
      .strictObject({ body: size({ min: '1B', max: '256MiB' }).prefault('1MiB'), ...listenerLimits('20s') })
      .superRefine(...reportOn(checkListenerLimits))
      .prefault({}),
    /** Networks of load balancers: from there, and from nowhere else, connections begin with a PROXY protocol header. */
    proxyProtocol: z.array(network).prefault([]),
  })
}

export function toCallbacks(
  callbacks: Named<z.output<ReturnType<typeof callbacksSchema>>>,
  institutions: readonly Institution[],
) {
  const owners = [{ name: null, trust: callbacks.trust, kinds: callbacks.kinds ?? {} }, ...institutions]
  return {
    ...callbacks,
    /** Of every institution; never empty. */
    trust: owners.flatMap(({ name, trust }) => (trust ?? []).map((chain) => toChain(name, chain))),
    /** Of every institution; never empty. */
    kinds: owners.flatMap(({ name, kinds }) => Object.entries(kinds).map((entry) => toKind(name, entry))),
    limits: toListenerLimits(callbacks.limits),
  }
}
