import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { inFormat } from '../../../src/delivery/format.ts'
import { requestHeaders } from '../../../src/delivery/request-headers.ts'
import type { ClaimedDelivery } from '../../../src/domain/delivery.ts'
import type { Destination } from '../../../src/domain/destination.ts'
import { newSecret } from '../../../src/domain/secrets/webhook-secret.ts'
import { aDestination } from '../../support/builders.ts'
import { ABOUT, type ApiChanges, askJson, startApi } from '../api.ts'

interface Media {
  readonly schema?: object
  readonly example?: unknown
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: { readonly examples?: readonly unknown[] }
  readonly example?: unknown
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: Record<string, { readonly post: Operation }>
  readonly components: { readonly schemas: Record<string, object> }
}

const EVERYTHING: ApiChanges = {
  about: ABOUT,
  reload: async () => ({ renewed: [], problems: [] }),
  reloadConfiguration: async () => ({ file: 'portaria.yaml', renewed: [], problems: [], needRestart: [] }),
  metrics: { isOpen: false, contentType: 'text/plain', text: async () => '' },
  needsCertificate: true,
}

async function documentOf(changes: ApiChanges): Promise<Document> {
  return askJson<Document>(await startApi(changes), '/openapi.json', { authorization: null })
}

/** Validates by the schemas of the document, with a validator that is not ours. */
function validatorOf({ components }: Document): (schema: object, value: unknown) => string | null {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  // The default export of a CommonJS module, which TypeScript and Node see differently.
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addSchema({ $id: 'https://portaria.example/openapi.json', components })
  const validatorFor = (schema: { $ref?: string }) =>
    (schema.$ref === undefined ? undefined : ajv.getSchema(`https://portaria.example/openapi.json${schema.$ref}`)) ??
    ajv.compile(schema)
  return (schema, value) => {
    const validate = validatorFor(schema)
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }
}

/** Each body and answer of each operation. */
function mediaIn({ paths, webhooks }: Document): (Media & { where: string })[] {
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item))
  return operations.flatMap(({ operationId, requestBody, responses }: Operation) =>
    Object.entries({ ...(requestBody !== undefined && { request: requestBody }), ...responses }).flatMap(
      ([status, { content = {} }]: [string, { content?: Record<string, Media> }]) =>
        Object.entries(content).map(([type, media]) => ({ where: `${operationId} ${status} ${type}`, ...media })),
    ),
  )
}

describe.each<[string, ApiChanges]>([
  ['with what commands ask for', EVERYTHING],
  ['without', {}],
])('the document %s', (_, changes) => {
  it('has an example of each body and answer, which its schema takes', async () => {
    const document = await documentOf(changes)
    const problemOf = validatorOf(document)
    const wrong = mediaIn(document).flatMap(({ where, schema = {}, example }) => {
      const problem = example === undefined ? 'has no example' : problemOf(schema, example)
      return problem === null ? [] : [`${where}: ${problem} ${JSON.stringify(example)}`]
    })
    expect(wrong).toEqual([])
  })

  it('has an example of each segment of a path', async () => {
    const { paths } = await documentOf(changes)
    const segments = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'path')),
    )
    expect(segments.length).toBeGreaterThan(20)
    expect(segments.filter(({ example }) => typeof example !== 'string' || example === '')).toEqual([])
  })
})

/** A delivery of this body, with everything that a header can tell. */
function deliveryOf(body: string, event: Partial<ClaimedDelivery['event']>): ClaimedDelivery {
  return {
    deliveryId: 1,
    destinationId: 1,
    attempt: 2,
    retriesUsed: 1,
    dueAt: 0,
    agesFrom: 0,
    hasOrderKey: false,
    isBacklog: false,
    isReplay: true,
    contentType: 'application/json',
    body: Buffer.from(body),
    event: {
      id: 'evt_1c_0123456789',
      kind: 'payment',
      environment: 'sandbox',
      authentication: 'mutual-tls',
      source: null,
      subject: null,
      status: null,
      receivedAt: 0,
      part: 2,
      parts: 3,
      ...event,
    },
  } as ClaimedDelivery
}

const destination = {
  ...aDestination({ secrets: [newSecret()], headers: [] }),
  previousSecretUntil: null,
} as unknown as Destination

it('the webhooks have the headers that a delivery has, and no other', async () => {
  const { webhooks, ...document } = await documentOf({})
  const problemOf = validatorOf({ webhooks, ...document })
  const sending = { now: Date.UTC(2026, 2, 2), version: '0.1.0', instance: 'portaria-0123456789' }
  const sent = ([{}, { source: 'resolved' }, { source: 'unresolved' }] as const).map((event) => {
    const pairs = requestHeaders(deliveryOf('{}', event), destination, sending)
    return Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1]]] : [])))
  })
  for (const { post } of Object.values(webhooks)) {
    const parameters = post.parameters ?? []
    const names = new Set(sent.flatMap(Object.keys))
    names.delete('content-type')
    expect(parameters.map(({ name }) => name).toSorted()).toEqual([...names].toSorted())
    for (const headers of sent)
      for (const { name, required, schema } of parameters) {
        const value = headers[name]
        if (value === undefined) expect([name, required]).toEqual([name, false])
        else expect([name, problemOf(schema, value)]).toEqual([name, null])
      }
  }
})

it('the envelope has the members that a delivery in the format event has', async () => {
  const { webhooks } = await documentOf({})
  const media = webhooks.deliverEnvelope?.post.requestBody?.content['application/json']
  const { properties = {} } = (media?.schema ?? {}) as { properties?: object }
  const bodies = ['{}', 'no JSON'].map(
    (body) => JSON.parse(inFormat(deliveryOf(body, {}), 'event').body.toString()) as object,
  )
  expect([...new Set(bodies.flatMap(Object.keys))].toSorted()).toEqual(Object.keys(properties).toSorted())
})
