import type { JsonSchema } from '../src/api/http/json-schema.ts'
import { webhooks } from '../src/api/openapi/webhooks.ts'

const OPEN_FINANCE = ['deliverOpenFinance', 'OpenFinanceBody'] as const

/** The kinds of the presets in config/institutions, by the operation that delivers them in the API's document. */
export const BODIES: Readonly<Record<string, readonly [operation: string, type: string]>> = {
  payment: ['deliverPayment', 'PaymentBody'],
  registration: ['deliverRegistration', 'RegistrationBody'],
  charge: ['deliverCharge', 'ChargeBody'],
  openBanking: ['deliverOpenBanking', 'OpenBankingBody'],
  pix: ['deliverPix', 'PixBody'],
  rec: ['deliverRec', 'RecBody'],
  cobr: ['deliverCobr', 'CobrBody'],
  paymentConsent: OPEN_FINANCE,
  pixPayment: OPEN_FINANCE,
  enrollment: OPEN_FINANCE,
  recurringConsent: OPEN_FINANCE,
  recurringPayment: OPEN_FINANCE,
}

/** `receiver/src/events.ts`: the types of what a delivery has in its body, from the schemas of the API's OpenAPI document. */
export function receiverTypes(): string {
  const declared = [...new Set(Object.values(BODIES))].map(([operation, name]) => {
    const kinds = Object.keys(BODIES).filter((kind) => BODIES[kind]?.[0] === operation)
    return `/** An event of kind ${kinds.join(', ')} in the format \`original\`. */\nexport type ${name} = ${typeOf(schemaOf(operation), '')}\n`
  })
  const kinds = Object.entries(BODIES).map(([kind, [, name]]) => `  ${kind}: ${name}\n`)
  return [
    '// Made from the schemas of the API: `npm test -- test/receiver --update` writes this file.\n',
    ...declared,
    `/** By kind. A configuration can have other kinds: their bodies are unknown here. */\nexport interface Bodies {\n${kinds.join('')}}\n`,
    'export type EventKind = keyof Bodies\n',
    `/** An event of any kind in the format \`event\`. */\nexport type Envelope<Body = unknown> = ${typeOf(schemaOf('deliverEnvelope'), '', { data: 'Body | null' })}\n`,
  ].join('\n')
}

/** Of the body that an operation delivers. */
export function schemaOf(operation: string): JsonSchema {
  const described = webhooks()[operation] as {
    post: { requestBody: { content: Record<string, { schema: JsonSchema }> } }
  }
  return described.post.requestBody.content['application/json']?.schema as JsonSchema
}

/**
 * No member is required by the schemas, and members can be added at any time.
 * @param given types of members that a schema leaves open
 */
function typeOf(schema: JsonSchema, indent: string, given: Readonly<Record<string, string>> = {}): string {
  const {
    type,
    properties,
    enum: values,
    items,
  } = schema as {
    type?: string | readonly string[]
    properties?: Record<string, JsonSchema>
    enum?: readonly string[]
    items?: JsonSchema
  }
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ')
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ type: one }, indent)).join(' | ')
  if (type === 'array') return `${items === undefined ? 'unknown' : typeOf(items, indent)}[]`
  if (type === 'integer') return 'number'
  if (type === 'object') {
    if (properties === undefined) return '{ [member: string]: unknown }'
    const inner = `${indent}  `
    const members = Object.entries(properties).map(
      ([name, member]) => `${inner}${name}?: ${given[name] ?? typeOf(member, inner)}\n`,
    )
    return `{\n${members.join('')}${inner}[member: string]: unknown\n${indent}}`
  }
  return (type as string | undefined) ?? 'unknown'
}
