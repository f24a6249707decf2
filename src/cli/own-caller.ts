import type { Endpoint, Reply } from '../api/http/endpoint.ts'
import { checkedOperation } from '../api/http/operation.ts'
import { queryOf } from '../api/http/query.ts'
import type { Config } from '../config/config.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { type Caller, callerOf, targetOf } from './asking.ts'
import { readConfig } from './config-file.ts'
import type { ConfigOption } from './options.ts'
import { withReader } from './reader.ts'

type Reads = Readonly<Record<string, Endpoint>>

/** The reading operations by the first segment of their path: a command loads those of its own noun. */
const READS: Readonly<Record<string, (store: StoreReader, config: Config) => Promise<Reads>>> = {
  consumers: async (store) => (await import('../api/consumers/endpoints.ts')).consumerReads({ store, now }),
}

const now = Date.now

/** Runs the API's own operations in this process, as the operator: who may read the database may read everything. */
export function withOwnCaller<T>(options: ConfigOption, use: (caller: Caller) => Promise<T>): Promise<T> {
  return withReader(readConfig(options), (store, config) => {
    const reads = new Map<string, Promise<Reads>>()

    async function operationFor(id: string, path: string) {
      const noun = path.split('/')[2] ?? ''
      const found = reads.get(noun) ?? READS[noun]?.(store, config)
      if (found === undefined) throw new Error(`${id} does not run over a database alone`)
      reads.set(noun, found)
      return checkedOperation(id, (await found)[id] as Endpoint)
    }

    return use(
      callerOf(async ({ id, path }, input = {}) => {
        const { perform } = await operationFor(id, path)
        const params = Object.fromEntries(Object.entries<string>(input.segments ?? {}))
        const query = queryOf(targetOf(path, input))
        const principal = { kind: 'operator' } as const
        return bytesOf(
          await perform({ principal, isReading: true, params, query, body: undefined, reason: null, http: null }),
        )
      }),
    )
  })
}

function bytesOf({ json, jsonText = JSON.stringify(json), content = jsonText }: Reply): Buffer {
  return Buffer.from(content as Uint8Array)
}
