import type { JsonSchema } from '../../api/http/json-schema.ts'
import { facts } from '../parts/facts.ts'
import { type Html, type HtmlValue, html } from '../parts/html.ts'
import { joined, prose } from '../parts/prose.ts'

/** Keywords that say what a value is. Every other one is shown with its value, as a rule. */
const OF_THE_KIND = new Set([
  ...['$ref', 'anyOf', 'oneOf', 'const', 'enum', 'type', 'items', 'prefixItems'],
  ...['properties', 'required', 'additionalProperties', 'propertyNames', 'description'],
])

/** A schema with a name: what it means, its kind, and the members of an object. */
export function schemaHtml(schema: JsonSchema): Html {
  const members = membersOf(schema, '')
  const isPlainObject = schema.type === 'object' && members.length > 0
  return html`${meaningOf(schema, (text) => html`<p>${text}</p>`)}
${!isPlainObject && html`<p>${kindOf(schema)}</p>`}
${members.length > 0 && facts(members.map(memberFact))}`
}

function memberFact({ path, schema, isRequired }: Member): readonly [Html, Html] {
  return [html`<code>${path}</code>`, valueHtml(schema, isRequired ? null : 'optional')]
}

/** A value: its kind, whether it must be there, and what it means. */
export function valueHtml(schema: JsonSchema, presence: 'required' | 'optional' | null): Html {
  const word = presence === 'required' ? html` <strong>required</strong>` : presence && ` ${presence}`
  return html`${kindOf(schema)}${word}${meaningOf(schema, (text) => html`<br>${text}`)}`
}

/** What a value is, as `integer (minimum 1) or null`. A schema with a name is a link. */
export function kindOf(schema: JsonSchema): Html {
  const rules = Object.entries(schema).filter(([keyword]) => !OF_THE_KIND.has(keyword))
  return html`${nounOf(schema)}${rules.length > 0 && html` <span class="rules">(${joined(rules.map(ruleHtml), ', ')})</span>`}`
}

function ruleHtml([keyword, value]: readonly [string, unknown]): Html {
  if (keyword === 'examples' && Array.isArray(value)) return html`example ${joined(value.map(textHtml), ', ')}`
  return html`${keyword} ${textHtml(value)}`
}

function nounOf(schema: JsonSchema): HtmlValue {
  const { $ref, type, items, prefixItems, additionalProperties } = schema
  if (typeof $ref === 'string') return linkTo($ref)
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return joined(schema.enum.map(literal), ' or ')
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return joined(alternatives.map(innerHtml), ' or ')
  if (Array.isArray(prefixItems)) return html`array of ${joined(prefixItems.map(innerHtml), ', then ')}`
  if (isSchema(items)) return html`array of ${itemHtml(items)}`
  if (isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0)
    return html`object with values: ${itemHtml(additionalProperties)}`
  return type === undefined ? 'any value' : [type].flat().join(' or ')
}

/** In parentheses where it is one of several kinds. */
function itemHtml(schema: JsonSchema): Html {
  const kinds = [schema.type, schema.enum, schema.anyOf, schema.oneOf]
  const isSeveral = kinds.some((kind) => Array.isArray(kind) && kind.length > 1)
  return isSeveral ? html`(${innerHtml(schema)})` : innerHtml(schema)
}

/** With its description, which has no other place. */
function innerHtml(schema: JsonSchema): Html {
  return html`${kindOf(schema)}${meaningOf(schema, (text) => html` (${text})`)}`
}

function meaningOf({ description }: JsonSchema, show: (text: Html) => Html): Html | null {
  return typeof description === 'string' ? show(prose(description)) : null
}

function linkTo($ref: string): Html {
  const name = $ref.split('/').at(-1) ?? ''
  return html`<a href="#schema-${name}">${name}</a>`
}

function literal(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`
}

function textHtml(value: unknown): Html {
  return typeof value === 'string' ? html`<code>${value}</code>` : literal(value)
}

interface Member {
  /** As `latencyMs.p50` or `errors[].pointer`. */
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

/** The members of an object, and those of objects in it that have no name of their own. */
function membersOf(schema: JsonSchema, path: string): Member[] {
  const { properties = {}, required = [], items, additionalProperties } = schema
  const own = Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, member]) => {
    const inner = path === '' ? name : `${path}.${name}`
    const isRequired = (required as string[]).includes(name)
    return [{ path: inner, schema: member, isRequired }, ...membersOf(member, inner)]
  })
  return [
    ...own,
    ...alternativesOf(schema).flatMap((one) => membersOf(one, path)),
    ...(isSchema(items) ? membersOf(items, `${path}[]`) : []),
    ...(isSchema(additionalProperties) ? membersOf(additionalProperties, `${path}.*`) : []),
  ]
}

function alternativesOf({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  return [...(anyOf as JsonSchema[]), ...(oneOf as JsonSchema[])]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
